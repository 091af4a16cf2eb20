/* refused.c: counts refused launches and refused calls of libraries. A program that ignores the errors would end as if
 * its kernels or its calls had run, so it fails. */
#include "cpu/cuda/base/refused.h"
#include "cpu/cuda/base/options.h"
#include "cusafe/refused.h"
#include "report/print.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STATUS = 86, MAX_NAMES = 4096 }; /* the default of libcusafe's option exitcode */

/* What was refused, and how many different names it had; those beyond MAX_NAMES are not counted. */
struct refused {
  atomic_ullong count;
  atomic_uint names;
  char *name[MAX_NAMES];
};

static _Thread_local unsigned long long refusals;
static _Thread_local int loading_ahead;
static struct refused launches, calls;
static atomic_ullong missing; /* calls of libraries that compute */
static atomic_int owner;      /* a forked child inherits the handler */

void cs_cpu_count_refusal(void) {
  refusals++;
}

unsigned long long cusafe_refusals(void) {
  return refusals;
}

void cusafe_loads_ahead(int on) {
  loading_ahead = on;
}

int cs_cpu_is_loading_ahead(void) {
  return loading_ahead;
}

/* Whether it is the first with this name. */
static int count_name(struct refused *of, const char *name) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&lock);
  unsigned count = atomic_load(&of->names), i = 0;
  while (i < count && strcmp(of->name[i], name) != 0)
    i++;
  int is_new = i == count && count < MAX_NAMES && (of->name[count] = strdup(name));
  if (is_new)
    atomic_store(&of->names, count + 1);
  pthread_mutex_unlock(&lock);
  return is_new;
}

static const char *plural(unsigned long long count, const char *ending) {
  return count == 1 ? "" : ending;
}

static const char *were(unsigned long long count) {
  return count == 1 ? "was" : "were";
}

static void print_launches(int fails) {
  char text[256];
  unsigned long long count = atomic_load(&launches.count);
  unsigned of = atomic_load(&launches.names);
  int length =
      snprintf(text, sizeof text,
               "cusafe: %llu launch%s of %u kernel%s %s refused, because the CPU device cannot run the code "
               "(above): the results are missing%s.\n",
               count, plural(count, "es"), of, plural(of, "s"), were(count), fails ? ", and the run fails" : "");
  (void)!write(STDERR_FILENO, text, (size_t)length);
}

static void print_calls(int fails) {
  char text[256];
  unsigned long long count = atomic_load(&calls.count);
  const char *results = !atomic_load(&missing) ? ""
                        : fails                ? ": the results are missing, and the run fails"
                                               : ": the results are missing";
  int length = snprintf(text, sizeof text,
                        "cusafe: %llu call%s of NVIDIA's libraries %s refused, because the CPU device does not have "
                        "them (above)%s.\n",
                        count, plural(count, "s"), were(count), results);
  (void)!write(STDERR_FILENO, text, (size_t)length);
}

int cusafe_refused(void) {
  static atomic_int printed;
  int any_launch = atomic_load(&launches.count) > 0, any_call = atomic_load(&calls.count) > 0;
  if (!any_launch && !any_call)
    return 0;
  int fails = cs_cpu_options()->refused_fails;
  if (!atomic_exchange(&printed, 1)) {
    if (any_launch)
      print_launches(fails);
    if (any_call)
      print_calls(fails);
  }
  return fails && (any_launch || atomic_load(&missing));
}

/* libcusafe, if it is in the process, determines the status at the end. */
static void at_exit(int status, void *unused) {
  (void)unused;
  if (atomic_load(&owner) != getpid() || dlopen(CUSAFE_SONAME, RTLD_LAZY | RTLD_NOLOAD))
    return;
  if (cusafe_refused() && !status)
    exit(STATUS);
}

static void watch_exit(void) {
  static atomic_int watching;
  if (atomic_exchange(&watching, 1))
    return;
  atomic_store(&owner, getpid());
  on_exit(at_exit, NULL);
}

void cusafe_launch_refused(const char *kernel) {
  count_name(&launches, kernel);
  atomic_fetch_add(&launches.count, 1);
  watch_exit();
}

void cusafe_library_refused(const struct cs_library_refusal *refusal) {
  int is_new = count_name(&calls, refusal->call);
  if (is_new && refusal->reason)
    cs_report_print(stderr, "cusafe: %s fails with %s, because %s.\n", refusal->call, refusal->status, refusal->reason);
  else if (is_new)
    cs_report_print(stderr,
                    "cusafe: %s fails with %s, because the CPU device has no %s: run this code on a GPU, or without "
                    "that library.\n",
                    refusal->call, refusal->status, refusal->library);
  atomic_fetch_add(&calls.count, 1);
  atomic_fetch_add(&missing, refusal->is_work != 0);
  watch_exit();
}
