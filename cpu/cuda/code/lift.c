/* lift.c: the images of PTX modules. */
#include "cpu/cuda/code/lift.h"
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/refused.h"
#include "cusafe/image.h"
#include "cusafe/lifts.h"
#include "jit/lift.h"
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cusafe_lifts_ptx(void) {
  return !cs_cpu_anomaly_no_lift();
}

static cs_u32 arch_of(const char *ptx) {
  const char *target = strstr(ptx, ".target"), *arch = target ? strstr(target, "sm_") : NULL;
  return arch ? (cs_u32)strtoul(arch + 3, NULL, 10) : 0;
}

static CUresult no_command(void) {
  fputs("cusafe: a module is PTX, and the command cusafe, which translates it, is not installed next to this driver.\n",
        stderr);
  return cs_cpu_refuse(CUDA_ERROR_JIT_COMPILER_NOT_FOUND);
}

static CUresult failure(enum cs_jit_result result) {
  switch (result) {
  case CS_JIT_REFUSED:
    return cs_cpu_refuse(CUDA_ERROR_INVALID_PTX);
  case CS_JIT_NO_COMMAND:
    return no_command();
  case CS_JIT_NO_MEMORY:
    return CUDA_ERROR_OUT_OF_MEMORY;
  default:
    return CUDA_ERROR_OPERATING_SYSTEM;
  }
}

/* What libcusafe asks for: the program's options are its. */
static const char *detect_of(void *checker) {
  union {
    void *symbol;
    const char *(*call)(void);
  } found = {checker ? dlsym(checker, CS_LIFTS_DETECT) : NULL};
  return found.symbol ? found.call() : "";
}

CUresult cs_cpu_lift(const char *const *ptx, size_t count, int part, void **image) {
  void *checker = cusafe_lifts_ptx() ? dlopen(CUSAFE_SONAME, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  struct cs_jit_form form = {"img", CS_IMAGE_VERSION, checker != NULL, part, detect_of(checker)};
  size_t bytes;
  enum cs_jit_result result = cs_jit_lift(ptx, count, &form, image, &bytes);
  if (result != CS_JIT_MADE)
    return failure(result);
  struct cs_image *made = *image;
  if (bytes < sizeof *made || made->total_bytes != bytes) {
    free(made);
    return CUDA_ERROR_INVALID_IMAGE;
  }
  made->ptx_arch = arch_of(ptx[0]);
  return CUDA_SUCCESS;
}
