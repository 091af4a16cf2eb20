/* shared.c: failed checks of instructions that accept shared addresses only: the address to use instead. */
#include "device/attributes.h"
#include "device/error.h"
#include "device/object.h"

COLD void *__cs_fail_shared(void *instead) {
  if (!__nvvm_isspacep_shared(instead))
    __cs_trap();
  return instead;
}

COLD void *__cs_fail_empty(void) {
  return (void *)__cs_dynamic_start();
}
