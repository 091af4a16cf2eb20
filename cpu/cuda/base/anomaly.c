/* anomaly.c: makes calls fail, hints useless, PTX plain and streams slow, as CUSAFE_CPU_ANOMALY requests. */
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/options.h"
#include "report/print.h"
#include <cuda.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_FAILURES = 16, MAX_NAME = 64 };

struct failure {
  char name[MAX_NAME]; /* of a call, without its edition, or "any" */
  unsigned long long number;
  int and_later;
  int error;
  atomic_ullong calls;
};

static const struct {
  const char *name;
  int error;
} errors[] = {
#define CS_CPU_ERROR(name, description) {#name, CUDA_##name},
#include "cpu/cuda/base/errors.inc"
#undef CS_CPU_ERROR
};

unsigned char cs_cpu_anomaly_of_calls;
static struct failure failures[MAX_FAILURES];
static int failure_count, no_hints, no_lift, trace;
static void (*injected)(void); /* of libcusafe, in builds with CUSAFE_LOCK_CHECKS; see host/base/degraded.h */
static long slow_ms;
static atomic_ullong all_calls;

/* The number of an error that is given as OUT_OF_MEMORY; -1 if there is none. */
static int error_named(const char *name) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (strncmp(errors[i].name, "ERROR_", 6) == 0 && strcmp(errors[i].name + 6, name) == 0)
      return errors[i].error;
  return -1;
}

static const char *name_of(int error) {
  for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
    if (errors[i].error == error)
      return errors[i].name;
  return "";
}

/* NAME:N=ERROR or NAME:N+=ERROR. */
static int parse_failure(const char *clause) {
  struct failure *f = &failures[failure_count];
  char *end;
  size_t length = strcspn(clause, ":");
  if (failure_count == MAX_FAILURES || length >= MAX_NAME || clause[length] != ':')
    return -1;
  memcpy(f->name, clause, length);
  f->name[length] = 0;
  f->number = strtoull(clause + length + 1, &end, 10);
  f->and_later = *end == '+';
  end += f->and_later;
  f->error = *end == '=' ? error_named(end + 1) : -1;
  if (!f->number || f->error < 0)
    return -1;
  failure_count++;
  return 0;
}

static int parse_clause(const char *clause) {
  char *end;
  if (strcmp(clause, "no_hints") == 0)
    return no_hints = 1, 0;
  if (strcmp(clause, "no_lift") == 0)
    return no_lift = 1, 0;
  if (strcmp(clause, "trace") == 0)
    return trace = 1, 0;
  if (strncmp(clause, "slow=", 5) != 0)
    return parse_failure(clause);
  slow_ms = strtol(clause + 5, &end, 10);
  return slow_ms <= 0 || slow_ms > 10000 || *end ? -1 : 0;
}

__attribute__((constructor)) static void parse(void) {
  char text[1024], *next = NULL;
  const char *value = cs_cpu_options_anomaly();
  if (!value)
    return;
  snprintf(text, sizeof text, "%s", value);
  for (char *clause = strtok_r(text, ",", &next); clause; clause = strtok_r(NULL, ",", &next))
    if (parse_clause(clause) != 0)
      cs_report_print(
          stderr,
          "cusafe: CUSAFE_CPU_ANOMALY: '%s' is ignored: it must be NAME:N=ERROR, no_hints, no_lift, slow=MS or "
          "trace\n",
          clause);
  cs_cpu_anomaly_of_calls = failure_count || trace;
  injected = (void (*)(void))dlsym(RTLD_DEFAULT, "cusafe_failure_injected");
}

/* cuMemAlloc names cuMemAlloc_v2, and cuLaunchKernel names cuLaunchKernel_ptsz. */
static int is_of(const char *symbol, const char *name) {
  size_t length = strlen(name);
  return strcmp(name, "any") == 0 || (strncmp(symbol, name, length) == 0 && (!symbol[length] || symbol[length] == '_'));
}

static int is_due(struct failure *f, const char *symbol) {
  if (!is_of(symbol, f->name))
    return 0;
  unsigned long long number = atomic_fetch_add(&f->calls, 1) + 1;
  return number == f->number || (f->and_later && number > f->number);
}

int cs_cpu_anomaly_call(const char *symbol) {
  unsigned long long number = atomic_fetch_add(&all_calls, 1) + 1;
  int error = 0;
  for (int i = 0; i < failure_count; i++)
    if (is_due(&failures[i], symbol))
      error = failures[i].error;
  if (trace || error)
    cs_report_print(stderr, "cusafe: call %llu: %s%s%s\n", number, symbol, error ? " returns CUDA_" : "",
                    error ? name_of(error) : "");
  if (error && injected)
    injected();
  return error;
}

int cs_cpu_anomaly_no_hints(void) {
  return no_hints;
}

int cs_cpu_anomaly_no_lift(void) {
  return no_lift;
}

void cs_cpu_anomaly_delay(void) {
  const struct timespec pause = {slow_ms / 1000, slow_ms % 1000 * 1000000L};
  if (slow_ms)
    nanosleep(&pause, NULL);
}
