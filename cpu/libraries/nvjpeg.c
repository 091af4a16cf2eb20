/* nvjpeg.c: stands in for nvJPEG. */
#define TITLE "nvJPEG"
#define STATUS "NVJPEG_STATUS_IMPLEMENTATION_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 9 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/nvjpeg.inc"

CS_PROPERTY(nvjpegGetProperty, 13, 0)
CS_PROPERTY(nvjpegGetCudartProperty, 13, 0)
