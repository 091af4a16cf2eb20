/* curand.c: stands in for cuRAND's host library, whose statuses have no "not supported". */
#define TITLE "cuRAND"
#define STATUS "CURAND_STATUS_INITIALIZATION_FAILED"
#define RESULT int
enum { SUCCESS, REFUSED = 203 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/curand.inc"

CS_VERSION(curandGetVersion, 10400)
CS_PROPERTY(curandGetProperty, 10, 4)
