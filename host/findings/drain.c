/* drain.c: drains the rings, keeps the totals, and ends the process when it must halt. */
#include "host/findings/drain.h"
#include "host/base/debugger.h"
#include "host/base/messages.h"
#include "host/base/terminate.h"
#include "host/findings/field.h"
#include "host/findings/leak.h"
#include "host/findings/output.h"
#include "host/modules/counts.h"
#include "host/modules/module.h"
#include "host/modules/stop.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include <pthread.h>
#include <unistd.h>

/* Errors that the host itself finds, with the line for their total: X(id, one, many). */
#define TOTALS(X)                                                                                                      \
  X(FREES, "1 invalid free", "%llu invalid frees")                                                                     \
  X(COPIES, "1 invalid copy or fill", "%llu invalid copies or fills")                                                  \
  X(ARGUMENTS, "1 invalid kernel argument", "%llu invalid kernel arguments")                                           \
  X(FAULTS, "1 kernel was stopped at an invalid address", "%llu kernels were stopped at invalid addresses")            \
  X(LEAKS, "1 buffer was never freed", "%llu buffers were never freed")

enum total {
#define X(id, one, many) id,
  TOTALS(X)
#undef X
      TOTAL_COUNT
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cs_u64 device_errors, device_findings, totals[TOTAL_COUNT];
static int invalid_argument;         /* an invalid argument was found, whether it counts or not */
static int totals_printed, ignoring; /* ignoring: see cs_host_drain_ignore() */
static cs_u64 discarded;             /* errors discarded while ignoring */
static int halt_is_due;              /* once no thread is stopped in a debugger */

static int halts(void) {
  return cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_HALT;
}

static int has_news(const struct cs_host_checked *c) {
  return c->ring && (c->errors != cs_host_ring_errors(c->ring) || c->drained != cs_host_ring_written(c->ring) ||
                     cs_host_stop_waits(c->ring));
}

static const struct cs_record *record_at(const struct cs_host_checked *c, cs_u32 index) {
  return (const struct cs_record *)(c->ring + 1) + index;
}

static void report_record(struct cs_host_checked *c, const struct cs_record *record) {
  if (!record->ready)
    return;
  if (cs_host_field_is_covered(c, record->site))
    cs_host_tally_hide(&c->tally, record->site);
  else if (cs_host_finding_access(record, c))
    device_findings++;
}

/* What the device is doing: nothing, a kernel, or nothing ever again. */
enum moment { BETWEEN, RUNNING, LAST };

static void discard(struct cs_host_checked *c, enum moment moment) {
  cs_u64 errors = cs_host_ring_errors(c->ring);
  discarded += errors - c->errors;
  c->errors = errors;
  while (cs_host_ring_next(c->ring, &c->drained, moment == LAST))
    ;
  cs_host_stop_answer(c->ring, c->drained);
}

static void drain_module(struct cs_host_checked *c, enum moment moment) {
  const struct cs_record *record;
  if (ignoring) {
    discard(c, moment);
    return;
  }
  cs_u32 first = c->drained;
  cs_u64 errors = cs_host_ring_errors(c->ring), fresh = errors - c->errors;
  /* The counts of a kernel that trapped are lost; a single record then represents all new errors. While a kernel waits for the
   * host, its counts cannot be read. */
  int counted = moment != RUNNING && !cs_host_debugger_expected() && cs_host_checked_refresh(c) == 0;
  cs_u64 each = !counted && cs_host_ring_written(c->ring) - c->drained == 1 ? fresh : 1;
  while ((record = cs_host_ring_next(c->ring, &c->drained, moment == LAST)))
    cs_host_tally_record(&c->tally, record, each);
  for (cs_u32 i = first; i < c->drained; i++) {
    cs_host_stop_begin(c->ring, i);
    report_record(c, record_at(c, i));
    cs_host_stop_end();
  }
  cs_host_stop_answer(c->ring, c->drained);
  device_errors += fresh;
  c->errors = errors;
}

static const char *plural(cs_u64 count) {
  return count == 1 ? "" : "s";
}

static struct cs_host_totals device_totals(void) {
  struct cs_host_totals t = {0};
  for (cs_u32 i = 0; i < cs_host_checked_count(); i++)
    cs_host_tally_total(&cs_host_checked_by_number(i)->tally, &t);
  return t;
}

static cs_u64 counting_errors(const struct cs_host_totals *t) {
  return device_errors > t->hidden ? device_errors - t->hidden : 0;
}

/* Whether there are errors that count. If the options may ignore some, only reported errors count, and those without a record. */
static int device_faulted(void) {
  if (!device_errors || !cs_options_may_ignore(cs_options()))
    return device_errors != 0;
  return device_findings || device_totals().silent;
}

static void print_device_total(void) {
  struct cs_host_totals t = device_totals();
  cs_u64 errors = counting_errors(&t);
  if (errors)
    cs_host_message(0, "%llu invalid access%s at %llu site%s in kernels", errors, errors == 1 ? "" : "es", t.sites,
                    plural(t.sites));
  if (t.silent)
    cs_host_message(0, "%llu of these sites could not be reported: there was no room for a record", t.silent);
}

static void print_total(enum total id) {
  static const char *const texts[][2] = {
#define X(id, one, many) {one, many},
      TOTALS(X)
#undef X
  };
  if (totals[id])
    cs_host_message(0, texts[id][totals[id] > 1], totals[id]);
}

static cs_u64 all_errors(void) {
  struct cs_host_totals t = device_totals();
  cs_u64 sum = counting_errors(&t);
  for (enum total id = 0; id < TOTAL_COUNT; id++)
    sum += totals[id];
  return sum;
}

static void print_totals(void) {
  print_device_total();
  for (enum total id = 0; id < TOTAL_COUNT; id++)
    print_total(id);
  totals_printed = 1;
}

static void print_discarded(void) {
  if (discarded)
    cs_host_message(0, "%llu invalid access%s in launches that the options do not select %s not counted", discarded,
                    discarded == 1 ? "" : "es", discarded == 1 ? "was" : "were");
}

static void halt(void) {
  print_totals();
  print_discarded();
  cs_host_output_end(all_errors());
  fflush(stdout);
  fflush(cs_host_out());
  cs_host_terminate(cs_options()->exitcode);
}

/* Whether a thread of any module is in the state that `is` tests. */
static int any_thread(int (*is)(const struct cs_ring *)) {
  int found = 0;
  for (cs_u32 i = 0; i < cs_host_checked_count() && !found; i++)
    found = cs_host_checked_by_number(i)->ring && is(cs_host_checked_by_number(i)->ring);
  return found;
}

static void drain(enum moment moment) {
  int news = 0;
  for (cs_u32 i = 0; i < cs_host_checked_count(); i++)
    if (has_news(cs_host_checked_by_number(i))) {
      drain_module(cs_host_checked_by_number(i), moment);
      news = 1;
    }
  cs_host_kernels_drained();
  halt_is_due |= news && halts() && device_faulted();
  if (halt_is_due && !any_thread(cs_host_stop_is_stopped))
    halt();
}

void cs_host_drain(void) {
  if (!cs_host_checked_count()) {
    cs_host_kernels_drained();
    return;
  }
  pthread_mutex_lock(&lock);
  drain(BETWEEN);
  pthread_mutex_unlock(&lock);
}

int cs_host_drain_pending(void) {
  int news = 0;
  if (pthread_mutex_trylock(&lock))
    return 0;
  for (cs_u32 i = 0; i < cs_host_checked_count() && !news; i++)
    news = has_news(cs_host_checked_by_number(i));
  pthread_mutex_unlock(&lock);
  return news;
}

int cs_host_drain_awaited(void) {
  if (pthread_mutex_trylock(&lock))
    return 0;
  int awaited = any_thread(cs_host_stop_waits);
  pthread_mutex_unlock(&lock);
  return awaited;
}

void cs_host_drain_running(void) {
  if (pthread_mutex_trylock(&lock))
    return;
  drain(RUNNING);
  pthread_mutex_unlock(&lock);
}

/* Errors that were discarded are to be recorded when they happen again. */
static void rearm(void) {
  for (cs_u32 i = 0; ignoring && i < cs_host_checked_count(); i++)
    cs_host_checked_rearm(cs_host_checked_by_number(i));
}

void cs_host_drain_ignore(int ignore) {
  pthread_mutex_lock(&lock);
  drain(BETWEEN);
  rearm();
  ignoring = ignore;
  pthread_mutex_unlock(&lock);
}

void cs_host_drain_unloading(void *owner) {
  pthread_mutex_lock(&lock);
  drain(BETWEEN);
  rearm(); /* unloading reads the last counts */
  cs_host_module_unloading(owner);
  pthread_mutex_unlock(&lock);
}

void cs_host_drain_context_gone(struct cs_host_context *context) {
  pthread_mutex_lock(&lock);
  cs_host_modules_of_context_gone(context);
  pthread_mutex_unlock(&lock);
}

static int any(void) {
  int found = device_faulted();
  for (enum total id = 0; id < TOTAL_COUNT; id++)
    found |= totals[id] != 0;
  return found;
}

void cs_host_drain_last(void) {
  pthread_mutex_lock(&lock);
  drain(LAST);
  if (!totals_printed && any())
    print_totals();
  print_discarded();
  if (!cs_options()->leak_check)
    cs_host_output_end(all_errors());
  pthread_mutex_unlock(&lock);
}

void cs_host_drain_leaving(void) {
  pthread_mutex_lock(&lock);
  drain(RUNNING);
  if (!totals_printed && any())
    print_totals();
  cs_host_output_end(all_errors());
  pthread_mutex_unlock(&lock);
}

int cs_host_found_any(void) {
  pthread_mutex_lock(&lock);
  int found = any();
  pthread_mutex_unlock(&lock);
  return found;
}

/* A program that continues may repeat an error: the first with each stack is reported, the others count as the first did. */
struct reported_stacks {
  unsigned char seen[CS_HOST_STACKS_MAX / 8], ignored[CS_HOST_STACKS_MAX / 8];
};
static struct reported_stacks reported[TOTAL_COUNT];

static int has_bit(const unsigned char *bits, cs_u32 stack) {
  return bits[stack / 8] >> stack % 8 & 1;
}

static void set_bit(unsigned char *bits, cs_u32 stack) {
  bits[stack / 8] |= (unsigned char)(1u << stack % 8);
}

/* Whether the error is to be reported; always if its stack is unknown. Under the lock. */
static int is_first(enum total id, cs_u32 stack) {
  int first = !stack || !has_bit(reported[id].seen, stack);
  set_bit(reported[id].seen, stack);
  return first;
}

/* Counts an error, and halts if it must. counts: the result of reporting a first one. Under the lock. */
static void count(enum total id, cs_u32 stack, int first, int counts) {
  if (!first)
    counts = !has_bit(reported[id].ignored, stack);
  else if (!counts)
    set_bit(reported[id].ignored, stack);
  totals[id] += counts != 0;
  if (counts && halts())
    halt();
}

void cs_host_found_invalid_free(cs_u64 address, const char *call, cs_u32 stack) {
  pthread_mutex_lock(&lock);
  int first = is_first(FREES, stack);
  count(FREES, stack, first, first && cs_host_finding_free(address, call, stack));
  pthread_mutex_unlock(&lock);
}

void cs_host_found_api(const struct cs_host_api_error *error) {
  pthread_mutex_lock(&lock);
  int first = is_first(COPIES, error->stack);
  count(COPIES, error->stack, first, first && cs_host_finding_api(error));
  pthread_mutex_unlock(&lock);
}

void cs_host_found_argument(const struct cs_host_argument_error *error) {
  pthread_mutex_lock(&lock);
  int first = is_first(ARGUMENTS, error->stack);
  invalid_argument = 1;
  count(ARGUMENTS, error->stack, first, first && cs_host_finding_argument(error));
  pthread_mutex_unlock(&lock);
}

/* Whether an earlier error may have caused the fault: an argument, an access that was carried out, or one whose result was
 * replaced. Faults of launches that the options ignore are not reported either. */
static int is_explained(void) {
  int carried_out = cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_CONTINUE;
  return ignoring || invalid_argument || (device_errors && (carried_out || device_findings));
}

void cs_host_found_fault(const struct cs_host_fault_error *error) {
  static int known; /* after a fault, every call returns the error */
  pthread_mutex_lock(&lock);
  int fresh = !known && !is_explained();
  known = 1;
  if (fresh)
    count(FAULTS, error->stack, 1, cs_host_finding_fault(error));
  pthread_mutex_unlock(&lock);
}

void cs_host_found_leaks(void) {
  pthread_mutex_lock(&lock);
  cs_u64 bytes;
  totals[LEAKS] = cs_host_leaks_report(&bytes);
  print_total(LEAKS);
  cs_host_output_leaks(totals[LEAKS], bytes);
  cs_host_output_end(all_errors());
  pthread_mutex_unlock(&lock);
}
