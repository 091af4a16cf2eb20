/* start.c: CuSafe's beginning and end in a process. */
#include "host/start.h"
#include "host/drain.h"
#include "host/driver.h"
#include "host/inside.h"
#include "host/options.h"
#include "host/process.h"
#include "host/say.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static pid_t owner; /* a forked child inherits the exit handlers, but not the device */

/* A program for a GPU, on a machine without a driver, would only say "error 35". */
__attribute__((constructor)) static void look_for_driver(void) {
  if (cs_real_dlsym(RTLD_DEFAULT, "__cusafe_device_gpu") && !cs_driver_present())
    fputs("cusafe: this program was built for a GPU, and there is no NVIDIA driver (libcuda.so.1) here; build it with "
          "'cusafe cc --device=cpu' to run it on this machine.\n",
          stderr);
}

static void synchronize(struct cs_context *context) {
  CUcontext popped;
  const struct cs_driver *d = cs_driver();
  if (!context->handle || !context->ring || d->cuCtxPushCurrent_v2(context->handle))
    return;
  d->cuCtxSynchronize();
  d->cuCtxPopCurrent_v2(&popped);
}

static void say_what_was_not_checked(void) {
  struct cs_heap_stats stats;
  cs_heap_stats(cs_process_heap(), &stats);
  if (stats.untagged)
    cs_say(1, "%llu of %llu buffers had no tagged address and were not checked", stats.untagged,
           stats.untagged + stats.allocated);
}

/* The first of CuSafe's handlers does the work; when the others run, the driver may be gone. */
static void at_exit(void) {
  static int done;
  if (getpid() != owner || cs_inside() || done)
    return;
  done = 1;
  cs_inside_enter();
  for (struct cs_context *c = cs_context_first(); c; c = c->next)
    synchronize(c);
  cs_drain_last();
  say_what_was_not_checked();
  cs_inside_leave();
}

static void start(void) {
  cs_options();
  owner = getpid();
  cs_start_watch_exit();
}

void cs_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}

void cs_start_watch_exit(void) {
  enum { ENOUGH = 16 };
  static int registered;
  if (__atomic_fetch_add(&registered, 1, __ATOMIC_RELAXED) < ENOUGH)
    atexit(at_exit);
}
