/* meet.c: connects modules that CuSafe did not see loaded. */
#include "host/hooks/meet.h"
#include "host/base/lock.h"
#include "host/hooks/start.h"
#include "host/modules/kernel.h"
#include "host/modules/known.h"
#include "host/modules/module.h"
#include "host/modules/parts.h"

/* Threads may meet one module at the same time; it is connected once. No lock is held while the driver works. */
static int busy;

static void begin(void) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  while (busy)
    cs_host_lock_wait(CS_HOST_LOCK_KNOWN);
  busy = 1;
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
}

static void end(void) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  busy = 0;
  cs_host_lock_wake(CS_HOST_LOCK_KNOWN);
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
}

/* Its handle may be that of an earlier module, which was unloaded unseen: only the module's own state shows whether it is
 * connected. */
static void *connect(CUmodule module) {
  void *owner;
  int is_checked = cs_host_module_connection(module, &owner) == 0;
  if (is_checked && owner)
    return owner;
  int is_known = cs_host_known_find(module).owner != NULL;
  if (is_checked && is_known)
    cs_host_module_replaced(module);
  if (is_checked || !is_known) {
    cs_host_start_watch_exit();
    cs_host_module_loaded(module);
  }
  return module;
}

void *cs_host_meet_module(CUmodule module) {
  struct cs_host_known known = cs_host_known_find(module);
  if (known.is_loaded)
    return known.owner;
  begin();
  void *owner = connect(module);
  cs_host_known_add(module, (struct cs_host_known){owner, owner != module}, cs_host_context_current());
  end();
  return owner;
}

void *cs_host_meet_function_of(CUmodule module, CUfunction function) {
  CUmodule part = cs_host_driver_part(function);
  if (part)
    cs_host_part_add(part, module);
  return cs_host_meet_module(part ? part : module);
}

void *cs_host_meet_kernel_of(CUlibrary library, CUkernel kernel) {
  CUlibrary part = cs_host_driver_part(kernel);
  if (part && cs_host_part_add(part, library))
    cs_host_library_loaded(part);
  return part ? part : library;
}

void cs_host_meet_function(CUfunction function) {
  const struct cs_host_driver *d = cs_host_driver();
  CUmodule module;
  const char *name;
  if (cs_host_kernel_info(function).name || !d->cuFuncGetName || !d->cuFuncGetModule)
    return;
  if (d->cuFuncGetName(&name, function) == CUDA_SUCCESS && d->cuFuncGetModule(&module, function) == CUDA_SUCCESS)
    cs_host_kernel_named(function, cs_host_meet_function_of(module, function), name, 0);
}
