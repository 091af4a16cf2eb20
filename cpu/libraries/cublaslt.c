/* cublaslt.c: the calls of cuBLASLt that the CPU device refuses; lt_*.c have the others. */
#define TITLE "cuBLASLt"
#define STATUS "CUBLAS_STATUS_NOT_SUPPORTED"
#define REASON "the CPU device's cuBLASLt does not have it: run this code on a GPU, or without that call"
#define RESULT int
enum { SUCCESS, REFUSED = 15 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/cublaslt.inc"

CS_STATUS_TEXT(cublasLtGetStatusString)
CS_STATUS_NAME(cublasLtGetStatusName, "CUBLAS_STATUS_SUCCESS")
CS_PROPERTY(cublasLtGetProperty, 13, 0)
CS_QUIET_CALL(unsigned long, cublasLtGetVersion, 130000)
CS_QUIET_CALL(unsigned long, cublasLtGetCudartVersion, CS_CUDART_VERSION)
