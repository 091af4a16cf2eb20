/* cusparse.c: the calls of cuSPARSE that the CPU device refuses; sparse_*.c have the others. */
#define TITLE "cuSPARSE"
#define STATUS "CUSPARSE_STATUS_NOT_SUPPORTED"
#define REASON "the CPU device's cuSPARSE does not have it: run this code on a GPU, or without that call"
#define RESULT int
enum { SUCCESS, REFUSED = 10 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cusparse.inc"

CS_STATUS_TEXT(cusparseGetErrorString)
CS_STATUS_NAME(cusparseGetErrorName, "CUSPARSE_STATUS_SUCCESS")
CS_VERSION_OF_HANDLE(cusparseGetVersion, 12600)
CS_PROPERTY(cusparseGetProperty, 12, 6)
