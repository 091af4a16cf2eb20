/* refused.c: counts refused launches. A program that ignores CUDA's errors would end as if its kernels had run, so it
 * fails. */
#include "cpu/cuda/base/refused.h"
#include "cpu/cuda/base/options.h"
#include "cusafe/refused.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS = 86, MAX_NAMES = 4096 }; /* the default of libcusafe's option exitcode */

static _Thread_local unsigned long long refusals;
static atomic_ullong launches;
static atomic_uint kernels;
static atomic_int owner; /* a forked child inherits the handler */

void cs_cpu_count_refusal(void) {
  refusals++;
}

unsigned long long cusafe_refusals(void) {
  return refusals;
}

/* Kernels beyond MAX_NAMES are not counted. */
static void count_kernel(const char *kernel) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static char *names[MAX_NAMES];
  pthread_mutex_lock(&lock);
  unsigned count = atomic_load(&kernels), i = 0;
  while (i < count && strcmp(names[i], kernel) != 0)
    i++;
  if (i == count && count < MAX_NAMES && (names[count] = strdup(kernel)))
    atomic_store(&kernels, count + 1);
  pthread_mutex_unlock(&lock);
}

int cusafe_refused(void) {
  static atomic_int printed;
  char text[256];
  unsigned long long count = atomic_load(&launches);
  unsigned of = atomic_load(&kernels);
  if (!count)
    return 0;
  int fails = cs_cpu_options()->refused_fails;
  int length = snprintf(text, sizeof text,
                        "cusafe: %llu launch%s of %u kernel%s %s refused, because the CPU device cannot run the code "
                        "(above): the results are missing%s.\n",
                        count, count == 1 ? "" : "es", of, of == 1 ? "" : "s", count == 1 ? "was" : "were",
                        fails ? ", and the run fails" : "");
  if (!atomic_exchange(&printed, 1))
    (void)!write(STDERR_FILENO, text, (size_t)length);
  return fails;
}

/* libcusafe, if it is in the process, determines the status at the end. */
static void at_exit(int status, void *unused) {
  (void)unused;
  if (atomic_load(&owner) != getpid() || dlopen(CUSAFE_SONAME, RTLD_LAZY | RTLD_NOLOAD))
    return;
  if (cusafe_refused() && !status)
    exit(STATUS);
}

void cusafe_launch_refused(const char *kernel) {
  count_kernel(kernel);
  if (atomic_fetch_add(&launches, 1) > 0)
    return;
  atomic_store(&owner, getpid());
  on_exit(at_exit, NULL);
}
