/* cublas.c: the calls of cuBLAS that the CPU device refuses; blas*.c have the others. */
#define TITLE "cuBLAS"
#define STATUS "CUBLAS_STATUS_NOT_SUPPORTED"
#define REASON "the CPU device's cuBLAS does not have it: run this code on a GPU, or without that call"
#define RESULT int
enum { SUCCESS, REFUSED = 15 };
#include "cpu/libraries/calls.h"

struct complex_float {
  float real, imaginary;
};
struct complex_double {
  double real, imaginary;
};
#define CS_VOID(name) CS_VOID_CALL(name, 1)
#define CS_INT(name) CS_REFUSED_CALL(int, name, 1, 0)
#define CS_FLOAT(name) CS_REFUSED_CALL(float, name, 1, 0)
#define CS_DOUBLE(name) CS_REFUSED_CALL(double, name, 1, 0)
#define CS_COMPLEX(name) CS_REFUSED_CALL(struct complex_float, name, 1, (struct complex_float){0})
#define CS_DOUBLE_COMPLEX(name) CS_REFUSED_CALL(struct complex_double, name, 1, (struct complex_double){0})
#include "cpu/libraries/cublas.inc"

CS_STATUS_TEXT(cublasGetStatusString)
CS_STATUS_NAME(cublasGetStatusName, "CUBLAS_STATUS_SUCCESS")
CS_VERSION(cublasGetVersion, 130000)
CS_VERSION_OF_HANDLE(cublasGetVersion_v2, 130000)
CS_PROPERTY(cublasGetProperty, 13, 0)
CS_QUIET_CALL(unsigned long, cublasGetCudartVersion, CS_CUDART_VERSION)
CS_VOID_CALL(cublasXerbla, 0)
