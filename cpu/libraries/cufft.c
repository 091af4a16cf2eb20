/* cufft.c: the calls of cuFFT that the CPU device refuses; fft.c has the others. */
#define TITLE "cuFFT"
#define STATUS "CUFFT_NOT_SUPPORTED"
#define REASON "the CPU device's cuFFT does not have it: run this code on a GPU, or without that call"
#define RESULT int
enum { SUCCESS, REFUSED = 16 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cufft.inc"

CS_VERSION(cufftGetVersion, 12000)
CS_PROPERTY(cufftGetProperty, 12, 0)
