/* meet.c: connects modules that CuSafe did not see loaded. */
#include "host/hooks/meet.h"
#include "host/base/lock.h"
#include "host/findings/drain.h"
#include "host/hooks/start.h"
#include "host/launch/forms.h"
#include "host/modules/checked.h"
#include "host/modules/kernel.h"
#include "host/modules/known.h"
#include "host/modules/module.h"

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

/* What had the handle was unloaded unseen. */
static void drop(struct cs_host_loaded gone) {
  if (!gone.number)
    return;
  if (gone.is_library)
    cs_host_library_forget(gone.number);
  cs_host_module_replaced(gone.number);
  cs_host_drain_unloading(gone.number);
  cs_host_kernels_forget(gone.number);
  cs_host_forms_forget(gone.number);
  cs_host_known_forget(gone);
}

static struct cs_host_loaded meet(void *handle, int is_library, int is_loaded) {
  struct cs_host_loaded replaced;
  struct cs_host_context *context = is_library ? NULL : cs_host_context_current();
  cs_u64 number = cs_host_known_new(handle, is_library, is_loaded, context, &replaced);
  drop(replaced);
  return (struct cs_host_loaded){handle, is_library, number};
}

struct cs_host_loaded cs_host_meet_loaded(void *handle, int is_library) {
  return meet(handle, is_library, 1);
}

/* Its handle may be that of an earlier module, which was unloaded unseen: only the module's own state shows whether it
 * is connected. */
static struct cs_host_loaded connect(CUmodule module) {
  struct cs_host_loaded owner, known = cs_host_known_find(module).owner;
  int is_checked = cs_host_module_connection(module, &owner) == 0;
  if (is_checked && owner.number)
    return owner;
  if (!is_checked && known.number && !cs_host_is_checked(known.number, NULL))
    return known;
  owner = meet(module, 0, 0);
  cs_host_start_watch_exit();
  cs_host_module_loaded(owner);
  return owner;
}

void cs_host_meet_module_of(CUmodule module, struct cs_host_loaded library, const struct cs_host_context *context) {
  if (library.number)
    drop(cs_host_known_module_of(module, library, context));
}

struct cs_host_loaded cs_host_meet_module(CUmodule module) {
  struct cs_host_known known = cs_host_known_find(module);
  if (known.is_loaded)
    return known.owner;
  begin();
  struct cs_host_loaded owner = connect(module);
  if (owner.handle != module)
    cs_host_meet_module_of(module, owner, cs_host_context_of_record());
  end();
  return owner;
}

/* Threads may look up one kernel at the same time; the library that has its code is loaded once. */
static struct cs_host_loaded meet_part_library(CUlibrary part, struct cs_host_loaded whole) {
  begin();
  struct cs_host_loaded owner = cs_host_known_find(part).owner;
  if (!owner.number) {
    owner = cs_host_meet_loaded(part, 1);
    cs_host_known_part(part, whole);
    cs_host_library_loaded(owner);
  }
  end();
  return owner;
}

/* What has the kernel's code: a module or library, or the part of it that the driver has lifted now. */
static struct cs_host_loaded owner_of(void *kernel, struct cs_host_loaded whole) {
  int is_library = 0;
  void *part = cs_host_driver_part(kernel, &is_library);
  if (!part)
    return whole;
  if (is_library)
    return meet_part_library(part, whole);
  struct cs_host_loaded owner = cs_host_meet_module(part);
  cs_host_known_part(part, whole);
  return owner;
}

/* A module's functions end with its context, which need not be current. */
static void name_function(CUmodule module, CUfunction function, const char *name, int is_looked_up) {
  struct cs_host_loaded owner = owner_of(function, cs_host_meet_module(module));
  struct cs_host_known known = cs_host_known_find(module);
  cs_host_kernel_named(
      function, &(struct cs_host_kernel_info){.name = name,
                                              .owner = owner,
                                              .context = known.context ? known.context : cs_host_context_of_record(),
                                              .is_guess = !is_looked_up && !known.is_loaded});
}

void cs_host_meet_function_of(CUmodule module, CUfunction function, const char *name) {
  name_function(module, function, name, 1);
}

void cs_host_meet_kernel_of(CUlibrary library, CUkernel kernel, const char *name) {
  struct cs_host_loaded owner = owner_of(kernel, cs_host_known_find(library).owner);
  if (owner.number)
    cs_host_kernel_named(kernel, &(struct cs_host_kernel_info){.name = name, .owner = owner, .is_library = 1});
}

void cs_host_meet_function(CUfunction function) {
  const struct cs_host_driver *d = cs_host_driver();
  CUmodule module;
  const char *name;
  if (cs_host_kernel_info(function).name || !d->cuFuncGetName || !d->cuFuncGetModule)
    return;
  if (d->cuFuncGetName(&name, function) == CUDA_SUCCESS && d->cuFuncGetModule(&module, function) == CUDA_SUCCESS)
    name_function(module, function, name, 0);
}

struct cs_host_kernel_info cs_host_node_kernel(CUfunction function, CUkernel kernel) {
  if (function)
    cs_host_meet_function(function);
  return cs_host_kernel_info(function ? (void *)function : (void *)kernel);
}
