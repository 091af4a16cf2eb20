/* unit.c: finds a kernel by its function. */
#include "retarget/unit/unit.h"
#include <stddef.h>

struct cs_rt_kernel *cs_rt_kernel_of(const struct cs_rt_unit *unit, LLVMValueRef function) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (unit->kernels[i].function == function)
      return &unit->kernels[i];
  return NULL;
}

int cs_rt_is_kernel(const struct cs_rt_unit *unit, LLVMValueRef function) {
  return cs_rt_kernel_of(unit, function) != NULL;
}
