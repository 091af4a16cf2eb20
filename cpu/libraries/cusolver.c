/* cusolver.c: the calls of cuSOLVER that the CPU device refuses; solver_*.c have the others. */
#define TITLE "cuSOLVER"
#define STATUS "CUSOLVER_STATUS_NOT_SUPPORTED"
#define REASON "the CPU device's cuSOLVER does not have it: run this code on a GPU, or without that call"
#define RESULT int
enum { SUCCESS, REFUSED = 9 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cusolver.inc"

CS_VERSION(cusolverGetVersion, 12000)
CS_PROPERTY(cusolverGetProperty, 12, 0)
