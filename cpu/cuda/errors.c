/* errors.c: names and descriptions of errors. */
#include <cuda.h>
#include <stddef.h>

/* No default: the compiler warns about an enumerator that errors.inc lacks. */
static const char *text(CUresult error, int describe) {
  switch (error) {
#define CS_CPU_ERROR(name, description)                                                                                \
  case CUDA_##name:                                                                                                    \
    return describe ? description : "CUDA_" #name;
#include "cpu/cuda/base/errors.inc"
#undef CS_CPU_ERROR
  }
  return NULL;
}

static CUresult answer(CUresult error, int describe, const char **out) {
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  *out = text(error, describe);
  return *out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGetErrorString(CUresult error, const char **out) {
  return answer(error, 1, out);
}

CUresult cuGetErrorName(CUresult error, const char **out) {
  return answer(error, 0, out);
}
