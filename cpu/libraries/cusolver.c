/* cusolver.c: stands in for cuSOLVER. */
#define TITLE "cuSOLVER"
#define STATUS "CUSOLVER_STATUS_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 9 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cusolver.inc"

CS_VERSION(cusolverGetVersion, 12000)
CS_PROPERTY(cusolverGetProperty, 12, 0)
