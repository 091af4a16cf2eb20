/* cufft.c: stands in for cuFFT. */
#define TITLE "cuFFT"
#define STATUS "CUFFT_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 16 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cufft.inc"

CS_VERSION(cufftGetVersion, 12000)
CS_PROPERTY(cufftGetProperty, 12, 0)
