/* fault.c: signal handlers for faults in kernels, the thread that reports them, and an exit function that leaves parked
 * threads. */
#include "cpu/cuda/work/fault.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/threads.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include <dlfcn.h>
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

static struct sigaction previous[SIGNAL_COUNT];
static sem_t reported;
static atomic_int parked;      /* threads that wait in park() */
static atomic_int fault_first; /* 1 once fault_signal and fault_address are set */
static int fault_signal;
static int fault_noncanonical;
static void *fault_address;
static _Atomic(const char *) running[CS_CPU_MAX_DEVICES];

void cs_cpu_fault_kernel_begin(int device, const char *name) {
  atomic_store(&running[device], name);
}

void cs_cpu_fault_kernel_end(int device) {
  atomic_store(&running[device], NULL);
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
  if (info->si_code > 0 && in_kernel())
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

/* The demangler of the program, if it is in C++; else the mangled name. Never freed: there is one fault in a process. */
static const char *readable(const char *name) {
  char *(*demangle)(const char *, char *, size_t *, int *) = NULL;
  int status = -1;
  void *symbol = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  memcpy(&demangle, &symbol, sizeof symbol);
  char *demangled = demangle ? demangle(name, NULL, NULL, &status) : NULL;
  return demangled ? demangled : name;
}

static void *report_faults(void *unused) {
  (void)unused;
  while (sem_wait(&reported) != 0)
    ;
  const char *kernel = running_kernel();
  const char *name = kernel ? readable(kernel) : "?";
  if (error_of(fault_signal) != CUDA_ERROR_ILLEGAL_ADDRESS)
    fprintf(stderr, "cusafe: kernel %s was stopped by signal %d\n", name, fault_signal);
  else if (fault_noncanonical)
    fprintf(stderr, "cusafe: kernel %s accessed a non-canonical address\n", name);
  else
    fprintf(stderr, "cusafe: kernel %s accessed unmapped address 0x%llx\n", name,
            (unsigned long long)(uintptr_t)fault_address);
  cs_cpu_devices_fail(error_of(fault_signal));
  return NULL;
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
  pthread_t thread;
  if (sem_init(&reported, 0, 0) != 0 || pthread_create(&thread, NULL, report_faults, NULL) != 0)
    return -1;
  pthread_detach(thread);
  on_exit(at_exit, NULL);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  for (size_t i = 0; i < SIGNAL_COUNT; i++)
    if (sigaction(signals[i], &action, &previous[i]) != 0)
      return -1;
  return 0;
}
