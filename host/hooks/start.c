/* start.c: CuSafe's start and end in a process. */
#include "host/hooks/start.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/driver.h"
#include "host/base/inside.h"
#include "host/base/large_stack.h"
#include "host/base/loader.h"
#include "host/base/terminate.h"
#include "host/findings/drain.h"
#include "host/findings/output.h"
#include "host/findings/watch.h"
#include "host/hooks/canary.h"
#include "host/hooks/select.h"
#include "host/hooks/sync.h"
#include "host/launch/control.h"
#include "host/modules/checked.h"
#include "host/modules/unchecked.h"
#include "host/process/order.h"
#include "host/process/pending.h"
#include "host/process/process.h"
#include "options/process.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static pid_t owner; /* a forked child inherits the exit handlers, but not the device */

/* Without this, a program for a GPU would only fail with error 35 on a machine without a driver. */
static void check_driver(void) {
  if (!cs_host_real_dlsym(RTLD_DEFAULT, "__cusafe_device_gpu"))
    return;
  if (cs_host_loader_hides())
    fputs("cusafe: only a library of this program is linked with CuSafe, so nothing is checked on a GPU; start the "
          "program with 'cusafe run'.\n",
          stderr);
  if (!cs_host_driver_present())
    fputs("cusafe: this program was built for a GPU, and there is no NVIDIA driver (libcuda.so.1) on this machine; "
          "build it with 'cusafe cc --device=cpu' to run it here.\n",
          stderr);
}

__attribute__((constructor)) static void loaded(void) {
  cs_host_output_claim();
  check_driver();
}

/* Objects with checked code for a GPU refer to it (cli/cc/cusafe_nvcc.h). */
extern const char cusafe_is_missing__link_with_cusafe_cc_or_start_with_cusafe_run;
__attribute__((visibility("default"))) const char cusafe_is_missing__link_with_cusafe_cc_or_start_with_cusafe_run = 0;

static int done, own_status;

/* The first of CuSafe's handlers does the work; when the others run, the driver may have shut down. If errors were
 * found, a program that would exit with status 0 fails: exit() runs the remaining handlers with the new status, so that
 * a driver which ends the process in its own handler uses it too. */
static void at_exit(int status, void *unused) {
  (void)unused;
  int final = cs_host_start_ending(status);
  if (final != status)
    exit(final);
}

static int is_owner(void) {
  return getpid() == __atomic_load_n(&owner, __ATOMIC_RELAXED);
}

int cs_host_start_is_over(void) {
  return done;
}

/* Whether a program that succeeded must fail. */
static int fails(void) {
  return cs_host_driver_refused() || cs_host_found_any() || (cs_options()->strict && cs_host_is_degraded());
}

static int status_of_end(int status) {
  return !status && fails() ? cs_options()->exitcode : status;
}

/* A kernel's own error has its report, and a driver that has shut down has no work. */
static void wait_for_last_work(struct cs_host_context *context) {
  CUresult result = cs_host_context_wait(context);
  if (result && !cs_host_is_sticky(result) && result != CUDA_ERROR_DEINITIALIZED &&
      result != CUDA_ERROR_CONTEXT_IS_DESTROYED)
    cs_host_degraded(CS_DEGRADED_RECORDS);
  cs_host_report_fault(result, "cuCtxSynchronize");
}

int cs_host_start_ending(int status) {
  if (cs_host_inside() || !is_owner() || __atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
    return status;
  own_status = status;
  cs_host_inside_enter();
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    wait_for_last_work(c);
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    cs_host_canary_ending(c);
  cs_host_drain_last();
  cs_host_select_print();
  cs_host_unchecked_print();
  cs_host_driver_refused(); /* prints what is missing, whatever the status */
  cs_host_inside_leave();
  return status_of_end(status);
}

/* May run in a signal handler, which may have interrupted any function: takes no lock and no memory. Only reports what
 * was already found, and does not wait for the device. */
int cs_host_start_leaving(int status) {
  static const char incomplete[] =
      "cusafe: the process ended in a signal handler; the report of its errors is not complete\n";
  if (status || !is_owner() ||
      !(cs_host_checked_count() || cs_host_found_any() || cs_host_is_degraded() || cs_host_driver_refused()) ||
      __atomic_exchange_n(&done, 1, __ATOMIC_ACQ_REL))
    return status;
  if (cs_host_watch_leave())
    (void)!write(STDERR_FILENO, incomplete, sizeof incomplete - 1);
  return status_of_end(status);
}

/* Runs after the program's own exit handlers, which may still free buffers, correctly or not, and whose output must not
 * be lost. */
__attribute__((destructor)) static void at_end(void) {
  if (!__atomic_load_n(&done, __ATOMIC_ACQUIRE) || !is_owner())
    return;
  if (cs_options()->leak_check)
    cs_host_found_leaks();
  if (own_status || !fails())
    return;
  fflush(NULL);
  cs_host_terminate(cs_options()->exitcode);
}

static int driver_is_used;

/* A child may be the first to use the driver; then CuSafe starts there. */
static void in_child(void) {
  if (!driver_is_used)
    __atomic_store_n(&owner, getpid(), __ATOMIC_RELAXED);
  cs_host_inherited = driver_is_used;
  cs_host_changed(); /* no launch is repeated */
}

void cs_host_start_driver(void) {
  driver_is_used = 1;
  cs_host_watch();
}

static void freed_by_stream(cs_u64 address, cs_u32 stack) {
  cs_host_order_forget(address);
  cs_host_canary_freeing(address, "cuMemFreeAsync", stack);
}

static void start_here(void *unused) {
  (void)unused;
  cs_host_terminate_prepare();
  __atomic_store_n(&owner, getpid(), __ATOMIC_RELAXED);
  /* Fails only when out of memory: then a child that uses the driver may hang. */
  pthread_atfork(NULL, NULL, in_child);
  cs_host_select_open();
  cs_host_output_open();
  cs_host_control_read();
  cs_host_start_watch_exit();
  cs_host_pending_watch(freed_by_stream);
}

static void start(void) {
  cs_host_on_large_stack(start_here, NULL);
}

void cs_host_start(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}

void cs_host_start_watch_exit(void) {
  enum { MAX_HANDLERS = 64 };
  static int registered;
  if (__atomic_fetch_add(&registered, 1, __ATOMIC_RELAXED) < MAX_HANDLERS)
    on_exit(at_exit, NULL);
}
