/* start.c: CuSafe's beginning and end in a process. */
#include "host/start.h"
#include "host/drain.h"
#include "host/driver.h"
#include "host/inside.h"
#include "host/options.h"
#include "host/outlet.h"
#include "host/process.h"
#include "host/select.h"
#include "host/stop.h"
#include "host/unchecked.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
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

static int done, own_status;

/* The first of CuSafe's handlers does the work; when the others run, the driver may be gone. A program that ends well although
 * errors were found does not end well: glibc goes on with the handlers that are left, with the new status, so that a driver
 * which leaves from its own handler leaves with it. */
static void at_exit(int status, void *unused) {
  (void)unused;
  if (getpid() != owner || cs_inside() || done)
    return;
  done = 1;
  own_status = status;
  cs_inside_enter();
  for (struct cs_context *c = cs_context_first(); c; c = c->next)
    cs_context_wait(c);
  cs_drain_last();
  cs_select_say();
  cs_unchecked_say();
  cs_inside_leave();
  if (!status && cs_found_any())
    exit(cs_options()->exitcode);
}

/* After the program's own exit handlers, which may still free buffers, or free them wrongly, and whose output must not be
 * lost. */
__attribute__((destructor)) static void at_end(void) {
  if (!done || getpid() != owner)
    return;
  if (cs_options()->leak_check)
    cs_found_leaks();
  if (own_status || !cs_found_any())
    return;
  fflush(NULL);
  _exit(cs_options()->exitcode);
}

static void start(void) {
  cs_stop_prepare_driver();
  owner = getpid();
  cs_select_open();
  cs_outlet_open();
  cs_start_watch_exit();
}

void cs_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}

void cs_start_watch_exit(void) {
  enum { ENOUGH = 64 };
  static int registered;
  if (__atomic_fetch_add(&registered, 1, __ATOMIC_RELAXED) < ENOUGH)
    on_exit(at_exit, NULL);
}
