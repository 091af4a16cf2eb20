/* anomaly.c: makes calls fail, PTX plain, streams slow and the driver unlike NVIDIA's, as CUSAFE_CPU_ANOMALY
 * requests. */
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/options.h"
#include "cusafe/layout.h"
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
static int failure_count, no_lift, trace;
static struct cs_cpu_anomalies anomalies = {.version = CS_CPU_DRIVER_VERSION, .granularity = CS_CPU_GRANULARITY};
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

/* Words set what they name to 1; the others have a number, up to the given one. */
static const struct {
  const char *name;
  long *value;
  long max;
} settings[] = {
    {"no_hints", &anomalies.no_hints, 0},
    {"one_mapping", &anomalies.one_mapping, 0},
    {"no_read_only", &anomalies.no_read_only, 0},
    {"unreadable", &anomalies.unreadable, 0},
    {"slow", &slow_ms, 10000},
    {"slow_map", &anomalies.slow_map, 10000},
    {"version", &anomalies.version, 99990},
    {"granularity", &anomalies.granularity, 1 << 30},
    {"mappings", &anomalies.mappings, 1 << 30},
    {"taken", &anomalies.taken, CS_TAG_MAX},
    {"no_vmm", &anomalies.no_vmm, CS_CPU_MAX_DEVICES},
};

/* NAME or NAME=NUMBER. Returns 0, -1 for an invalid number, or 1 if there is no such setting. */
static int parse_setting(const char *clause) {
  size_t length = strcspn(clause, "=");
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    if (strlen(settings[i].name) != length || strncmp(settings[i].name, clause, length) != 0)
      continue;
    char *end = NULL;
    long value = clause[length] ? strtol(clause + length + 1, &end, 10) : 0;
    if (settings[i].max ? !end || *end || value <= 0 || value > settings[i].max : clause[length] != 0)
      return -1;
    *settings[i].value = settings[i].max ? value : 1;
    return 0;
  }
  return 1;
}

static int parse_clause(const char *clause) {
  int unknown = parse_setting(clause);
  if (strcmp(clause, "no_lift") == 0)
    return no_lift = 1, 0;
  if (strcmp(clause, "trace") == 0)
    return trace = 1, 0;
  return unknown > 0 ? parse_failure(clause) : unknown;
}

__attribute__((constructor)) static void parse(void) {
  char text[1024], *next = NULL;
  const char *value = cs_cpu_options_anomaly();
  if (!value)
    return;
  snprintf(text, sizeof text, "%s", value);
  for (char *clause = strtok_r(text, ",", &next); clause; clause = strtok_r(NULL, ",", &next))
    if (parse_clause(clause) != 0)
      cs_report_print(stderr,
                      "cusafe: CUSAFE_CPU_ANOMALY: '%s' is ignored: it must be NAME:N=ERROR, no_lift, trace or a "
                      "setting of docs/use/cpu-device.md\n",
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

const struct cs_cpu_anomalies *cs_cpu_anomalies(void) {
  return &anomalies;
}

int cs_cpu_anomaly_refuses(unsigned long long address) {
  return anomalies.no_hints || (cs_is_tagged(address) && (long)cs_tag_of(address) <= anomalies.taken);
}

static void pause_for(long ms) {
  const struct timespec pause = {ms / 1000, ms % 1000 * 1000000L};
  if (ms)
    nanosleep(&pause, NULL);
}

void cs_cpu_anomaly_map(void) {
  pause_for(anomalies.slow_map);
}

int cs_cpu_anomaly_no_lift(void) {
  return no_lift;
}

void cs_cpu_anomaly_delay(void) {
  pause_for(slow_ms);
}
