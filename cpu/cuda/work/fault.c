/* fault.c: signal handlers for faults in kernels, the thread that reports them, the thread that watches how long
 * kernels run, and an exit function that leaves parked threads. */
#include "cpu/cuda/work/fault.h"
#include "cpu/cuda/base/kernel_name.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/threads.h"
#include "cpu/cuda/engine/crash.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include "report/print.h"
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL};
#define SIGNAL_COUNT (sizeof signals / sizeof *signals)

#define EXIT_SECONDS 5
#define NOTICE_SECONDS 30 /* before a kernel that can wait is named */

static struct sigaction previous[SIGNAL_COUNT];
static sem_t reported;
static atomic_int parked;      /* threads that wait in park(), and devices whose kernel was given up */
static atomic_int fault_first; /* 1 once fault_signal and fault_address are set */
static int fault_signal;
static int fault_noncanonical;
static void *fault_address;
static _Atomic(const char *) running[CS_CPU_MAX_DEVICES];
static atomic_ulong launches[CS_CPU_MAX_DEVICES]; /* twice the number of kernels, plus 1 if the running one can wait */
static pthread_mutex_t naming =
    PTHREAD_MUTEX_INITIALIZER; /* while the watching thread uses a name, the kernel does not end */

void cs_cpu_fault_kernel_begin(int device, const char *name, int waits) {
  unsigned long before = atomic_load_explicit(&launches[device], memory_order_relaxed);
  atomic_store_explicit(&launches[device], (before | 1) + 1 + (waits != 0), memory_order_relaxed);
  atomic_store(&running[device], name);
}

void cs_cpu_fault_kernel_end(int device) {
  pthread_mutex_lock(&naming);
  atomic_store(&running[device], NULL);
  pthread_mutex_unlock(&naming);
}

static const char *running_kernel(void) {
  for (int i = 0; i < CS_CPU_MAX_DEVICES; i++) {
    const char *name = atomic_load(&running[i]);
    if (name)
      return name;
  }
  return NULL;
}

static int in_kernel(void) {
  return cs_cpu_thread_is_engine() && running_kernel() != NULL;
}

/* Does not return: the engine's frames cannot be unwound, and returning would fault again. */
static void park(int number, const siginfo_t *info) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, NULL);
  if (atomic_exchange(&fault_first, 1) == 0) {
    fault_signal = number;
    fault_noncanonical = info->si_code == SI_KERNEL; /* the CPU does not report the address then */
    fault_address = info->si_addr;
  }
  atomic_fetch_add(&parked, 1);
  sem_post(&reported);
  for (;;)
    pause();
}

static void chain(int number, siginfo_t *info, void *machine) {
  size_t i = 0;
  while (i < SIGNAL_COUNT && signals[i] != number)
    i++;
  const struct sigaction *before = &previous[i];
  if (before->sa_flags & SA_SIGINFO)
    before->sa_sigaction(number, info, machine);
  else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
    before->sa_handler(number);
  else
    signal(number, SIG_DFL); /* the instruction runs again, and the system's default action follows */
}

static void on_signal(int number, siginfo_t *info, void *machine) {
  /* si_code > 0: raised by the CPU for this thread, not sent by kill() or similar. */
  if (info->si_code > 0 && cs_cpu_crash_print())
    signal(number, SIG_DFL);
  else if (info->si_code > 0 && in_kernel())
    park(number, info);
  else
    chain(number, info, machine);
}

static CUresult error_of(int number) {
  switch (number) {
  case SIGSEGV:
  case SIGBUS:
    return CUDA_ERROR_ILLEGAL_ADDRESS;
  case SIGILL:
    return CUDA_ERROR_ILLEGAL_INSTRUCTION;
  default:
    return CUDA_ERROR_LAUNCH_FAILED;
  }
}

/* Never freed: a process prints few of them. */
static const char *readable(const char *name) {
  const char *plain = cs_cpu_kernel_name(name);
  return plain ? plain : name;
}

static void *report_faults(void *unused) {
  (void)unused;
  while (sem_wait(&reported) != 0)
    ;
  const char *kernel = running_kernel();
  const char *name = kernel ? readable(kernel) : "?";
  if (error_of(fault_signal) != CUDA_ERROR_ILLEGAL_ADDRESS)
    cs_report_print(stderr, "cusafe: kernel %s was stopped by signal %d\n", name, fault_signal);
  else if (fault_noncanonical)
    cs_report_print(stderr, "cusafe: kernel %s accessed a non-canonical address\n", name);
  else
    cs_report_print(stderr, "cusafe: kernel %s accessed unmapped address 0x%llx\n", name,
                    (unsigned long long)(uintptr_t)fault_address);
  cs_cpu_devices_fail(error_of(fault_signal));
  return NULL;
}

/* ---- kernels that do not end ---- */

static const char waiting[] =
    "on the CPU device a kernel that waits for a value which a later block or another kernel writes never ends, and in "
    "a kernel with warp operations also one in global memory which another warp of its block writes";

/* Names the kernel; returns whether it is given up. A launch costs no clock: the watching thread counts its own
 * seconds. */
static int watch_device(int device, int seconds, int waits) {
  int limit = cs_cpu_options()->timeout, ends = limit && seconds >= limit;
  pthread_mutex_lock(&naming);
  const char *kernel = atomic_load(&running[device]);
  if (kernel && ends)
    cs_report_print(stderr, "cusafe: kernel %s was given up after %d s (CUSAFE_CPU_TIMEOUT): %s\n", readable(kernel),
                    limit, waiting);
  else if (kernel && waits && seconds == NOTICE_SECONDS)
    cs_report_print(
        stderr,
        "cusafe: kernel %s has been running for %d s and has a loop that waits: %s; CUSAFE_CPU_TIMEOUT=SECONDS "
        "gives it up\n",
        readable(kernel), NOTICE_SECONDS, waiting);
  pthread_mutex_unlock(&naming);
  return kernel && ends;
}

static void *watch_kernels(void *unused) {
  struct {
    unsigned long launch;
    int seconds;
  } seen[CS_CPU_MAX_DEVICES] = {0};
  (void)unused;
  for (;;) {
    sleep(1);
    for (int i = 0; i < cs_cpu_device_count(); i++) {
      unsigned long launch = atomic_load(&launches[i]);
      seen[i].seconds = atomic_load(&running[i]) && launch == seen[i].launch ? seen[i].seconds + 1 : 0;
      seen[i].launch = launch;
      if (seen[i].seconds && watch_device(i, seen[i].seconds, launch & 1)) {
        atomic_fetch_add(&parked, 1);
        cs_cpu_devices_fail(CUDA_ERROR_LAUNCH_TIMEOUT);
        return NULL;
      }
    }
  }
}

/* A thread without signals: those of the program go to its own threads, and sleep() is not interrupted. */
static int start_thread(void *(*run)(void *)) {
  sigset_t all, before;
  pthread_t thread;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int bad = pthread_create(&thread, NULL, run, NULL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!bad)
    pthread_detach(thread);
  return bad ? -1 : 0;
}

/* At exit an engine waits for its threads, and a parked one never ends. Exit functions run last-in first-out, before
 * the engine's shutdown, so this one calls _exit after all functions that were registered after cuInit; those
 * registered before it do not run. It also leaves a kernel that never ends. */
static void at_exit(int status, void *unused) {
  (void)unused;
  if (cs_cpu_inherited())
    return;
  if (atomic_load(&parked) == 0 && cs_cpu_executors_stop(EXIT_SECONDS) == 0)
    return;
  fflush(NULL);
  _exit(status);
}

int cs_cpu_fault_install(void) {
  if (sem_init(&reported, 0, 0) != 0 || start_thread(report_faults) != 0 || start_thread(watch_kernels) != 0)
    return -1;
  on_exit(at_exit, NULL);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  for (size_t i = 0; i < SIGNAL_COUNT; i++)
    if (sigaction(signals[i], &action, &previous[i]) != 0)
      return -1;
  return 0;
}
