/* meet.c: connects modules that CuSafe did not see loaded. */
#include "host/hooks/meet.h"
#include "host/findings/watch.h"
#include "host/hooks/start.h"
#include "host/modules/kernel.h"
#include "host/modules/known.h"
#include "host/modules/module.h"
#include <pthread.h>

/* Threads may meet one module at the same time; it is connected once. No lock is held while the driver works. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static int busy;

static void begin(void) {
  pthread_mutex_lock(&lock);
  while (busy)
    pthread_cond_wait(&done, &lock);
  busy = 1;
  pthread_mutex_unlock(&lock);
}

static void end(void) {
  pthread_mutex_lock(&lock);
  busy = 0;
  pthread_cond_signal(&done);
  pthread_mutex_unlock(&lock);
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
    cs_host_watch();
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

void cs_host_meet_function(CUfunction function) {
  const struct cs_host_driver *d = cs_host_driver();
  CUmodule module;
  const char *name;
  if (cs_host_kernel_info(function).name || !d->cuFuncGetName || !d->cuFuncGetModule)
    return;
  if (d->cuFuncGetName(&name, function) == CUDA_SUCCESS && d->cuFuncGetModule(&module, function) == CUDA_SUCCESS)
    cs_host_kernel_named(function, cs_host_meet_module(module), name, 0);
}
