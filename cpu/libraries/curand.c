/* curand.c: the calls of cuRAND's host library that the CPU device refuses; rand.c has the others. There is no status
 * "not supported". */
#define TITLE "cuRAND"
#define STATUS "CURAND_STATUS_INITIALIZATION_FAILED"
#define REASON "the CPU device's cuRAND does not have it: run this code on a GPU, or without that call"
#define RESULT int
enum { SUCCESS, REFUSED = 203 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/curand.inc"

CS_VERSION(curandGetVersion, 10400)
CS_PROPERTY(curandGetProperty, 10, 4)
