/* drain.c: drains the rings, keeps the totals, and ends the process when it must halt. */
#include "host/findings/drain.h"
#include "host/base/debugger.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/base/terminate.h"
#include "host/findings/field.h"
#include "host/findings/files.h"
#include "host/findings/leak.h"
#include "host/findings/output.h"
#include "host/modules/counts.h"
#include "host/modules/module.h"
#include "host/modules/stop.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include <unistd.h>

/* Errors that the host itself finds, with the line for their total: X(id, one, many). */
#define TOTALS(X)                                                                                                      \
  X(FREES, "1 invalid free", "%llu invalid frees")                                                                     \
  X(COPIES, "1 invalid copy or fill", "%llu invalid copies or fills")                                                  \
  X(ARGUMENTS, "1 invalid kernel argument", "%llu invalid kernel arguments")                                           \
  X(FAULTS, "1 kernel was stopped at an invalid address", "%llu kernels were stopped at invalid addresses")            \
  X(ORDERS, "1 use of stream-ordered memory out of order", "%llu uses of stream-ordered memory out of order")          \
  X(CANARIES, "memory next to 1 buffer was overwritten", "memory next to %llu buffers was overwritten")                \
  X(LEAKS, "1 buffer was never freed", "%llu buffers were never freed")

enum total {
#define X(id, one, many) id,
  TOTALS(X)
#undef X
      TOTAL_COUNT
};

static cs_u64 device_errors, device_findings, totals[TOTAL_COUNT];
static int invalid_argument;         /* an invalid argument was found, whether it counts or not */
static int totals_printed, ignoring; /* ignoring: see cs_host_drain_ignore() */
static cs_u64 discarded;             /* errors discarded while ignoring */
static int halt_is_due;              /* once no thread is stopped in a debugger */
static int found;                    /* an error that counts; may be read without the lock */

static int halts(void) {
  return cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_HALT;
}

static int has_news(const struct cs_host_checked *c) {
  return c->errors != cs_host_ring_errors(c->ring) || c->drained != cs_host_ring_written(c->ring, c->capacity) ||
         cs_host_stop_waits(c->ring);
}

static const struct cs_record *record_at(const struct cs_host_checked *c, cs_u32 index) {
  return (const struct cs_record *)(c->ring + 1) + index;
}

static void report_record(struct cs_host_checked *c, const struct cs_record *record, int counted) {
  if (!record->ready)
    return;
  if (cs_host_field_is_covered(c, record->site)) {
    if (!counted)
      cs_host_tally_record(&c->tally, record, cs_host_field_errors(c, record->site));
    cs_host_tally_hide(&c->tally, record->site);
  } else if (cs_host_finding_access(record, c))
    device_findings++;
}

/* What the device is doing: nothing, a kernel, or nothing ever again. */
enum moment { BETWEEN, RUNNING, LAST };

static void discard(struct cs_host_checked *c, enum moment moment) {
  cs_u64 errors = cs_host_ring_errors(c->ring);
  discarded += errors - c->errors;
  c->errors = errors;
  while (cs_host_ring_next(c->ring, c->capacity, &c->drained, moment == LAST))
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
  /* The counts of a kernel that trapped are lost; a single record then represents all new errors. While a kernel waits
   * for the host, its counts cannot be read. */
  int counted = moment != RUNNING && !cs_host_debugger_expected() && cs_host_checked_refresh(c) == 0;
  cs_u64 each = !counted && cs_host_ring_written(c->ring, c->capacity) - c->drained == 1 ? fresh : 1;
  while ((record = cs_host_ring_next(c->ring, c->capacity, &c->drained, moment == LAST)))
    cs_host_tally_record(&c->tally, record, each);
  for (cs_u32 i = first; i < c->drained; i++) {
    cs_host_stop_begin(c->ring, i);
    report_record(c, record_at(c, i), counted);
    cs_host_stop_end();
  }
  cs_host_stop_answer(c->ring, c->drained);
  device_errors += fresh;
  c->errors = errors;
}

static const char *plural(cs_u64 count) {
  return count == 1 ? "" : "s";
}

static struct cs_host_totals of_unloaded; /* modules */

static struct cs_host_totals device_totals(void) {
  struct cs_host_totals t = of_unloaded;
  for (const struct cs_host_checked *c = cs_host_checked_first(); c; c = c->next)
    cs_host_tally_total(&c->tally, &t);
  return t;
}

static cs_u64 counting_errors(const struct cs_host_totals *t) {
  return device_errors > t->hidden ? device_errors - t->hidden : 0;
}

/* Whether there are errors that count. If the options may ignore some, only reported errors count, and those without a
 * record. */
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
  for (const struct cs_host_checked *c = cs_host_checked_first(); c && !found; c = c->next)
    found = is(c->ring);
  return found;
}

static void set_found(void) {
  __atomic_store_n(&found, 1, __ATOMIC_RELEASE);
}

static void drain(enum moment moment) {
  int news = 0;
  cs_host_output_begin();
  for (struct cs_host_checked *c = cs_host_checked_first(); c; c = c->next)
    if (has_news(c)) {
      drain_module(c, moment);
      news = 1;
    }
  cs_host_kernels_drained();
  if (news && device_faulted())
    set_found();
  halt_is_due |= news && halts() && device_faulted();
  if (halt_is_due && !any_thread(cs_host_stop_is_stopped))
    halt();
}

/* Whether a module has counted an error since the last call. The cost does not depend on the number of modules. */
static int bell_rang(void) {
  int rang = 0;
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next) {
    const cs_u64 *bell = __atomic_load_n(&c->bell, __ATOMIC_ACQUIRE);
    cs_u64 now = bell ? __atomic_load_n(bell, __ATOMIC_ACQUIRE) : c->bell_heard;
    rang |= now != c->bell_heard;
    c->bell_heard = now;
  }
  return rang;
}

void cs_host_drain(void) {
  if (!cs_host_checked_count()) {
    cs_host_kernels_drained();
    return;
  }
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  if (bell_rang())
    drain(BETWEEN);
  else
    cs_host_kernels_drained();
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

int cs_host_drain_pending(void) {
  int news = 0;
  if (cs_host_trylock(CS_HOST_LOCK_DRAIN))
    return 0;
  for (const struct cs_host_checked *c = cs_host_checked_first(); c && !news; c = c->next)
    news = has_news(c);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
  return news;
}

int cs_host_drain_awaited(void) {
  if (cs_host_trylock(CS_HOST_LOCK_DRAIN))
    return 0;
  int awaited = any_thread(cs_host_stop_waits);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
  return awaited;
}

void cs_host_drain_running(void) {
  if (cs_host_trylock(CS_HOST_LOCK_DRAIN))
    return;
  drain(RUNNING);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

/* Errors that were discarded are to be recorded when they happen again. */
static void rearm(void) {
  for (const struct cs_host_checked *c = cs_host_checked_first(); ignoring && c; c = c->next)
    cs_host_checked_rearm(c);
}

void cs_host_drain_ignore(int ignore) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  drain(BETWEEN);
  rearm();
  ignoring = ignore;
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

/* The modules are about to be deleted: their errors still count. */
static void keep_totals(struct cs_host_checked *list) {
  for (struct cs_host_checked *c = list; c; c = c->next) {
    cs_host_tally_total(&c->tally, &of_unloaded);
    cs_host_checks_keep(c);
  }
}

void cs_host_drain_unloading(cs_u64 owner) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  drain(BETWEEN);
  rearm(); /* the last counts are read next */
  struct cs_host_checked *unloaded = cs_host_checked_take(owner, NULL);
  for (struct cs_host_checked *c = unloaded; c; c = c->next) {
    cs_host_checked_refresh(c);
    cs_host_checked_refresh_checks(c);
  }
  keep_totals(unloaded);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
  cs_host_modules_release(unloaded);
}

struct cs_host_hidden cs_host_drain_hide(struct cs_host_context *context) {
  struct cs_host_hidden hidden = {context, NULL, NULL};
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  if (context) {
    drain(BETWEEN);
    hidden.modules = cs_host_checked_take(0, context);
    hidden.bell = __atomic_exchange_n(&context->bell, NULL, __ATOMIC_ACQ_REL);
  }
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
  return hidden;
}

void cs_host_drain_show(struct cs_host_hidden hidden) {
  for (struct cs_host_checked *c = hidden.modules, *next; c; c = next) {
    next = c->next;
    cs_host_checked_add(c);
  }
  if (hidden.bell)
    __atomic_store_n(&hidden.context->bell, hidden.bell, __ATOMIC_RELEASE);
}

void cs_host_drain_gone(struct cs_host_hidden hidden) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  keep_totals(hidden.modules);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
  cs_host_modules_drop(hidden.modules);
}

int cs_host_drain_written(int milliseconds) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  int result = cs_host_files_wait(milliseconds);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
  return result;
}

void cs_host_drain_last(void) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  drain(LAST);
  if (!totals_printed && cs_host_found_any())
    print_totals();
  print_discarded();
  if (!cs_options()->leak_check)
    cs_host_output_end(all_errors());
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

void cs_host_drain_leaving(void) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  drain(RUNNING);
  if (!totals_printed && cs_host_found_any())
    print_totals();
  cs_host_output_end(all_errors());
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

int cs_host_found_any(void) {
  return __atomic_load_n(&found, __ATOMIC_ACQUIRE);
}

/* A program that continues may repeat an error: the first with each stack is reported, the others count as the first
 * did. */
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
  if (counts)
    set_found();
  if (counts && halts())
    halt();
}

static void found_free(enum total total, const struct cs_host_free_error *error) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  int first = is_first(total, error->stack);
  count(total, error->stack, first, first && cs_host_finding_free(error));
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

void cs_host_found_invalid_free(cs_u64 address, const char *call, cs_u32 stack) {
  found_free(FREES, &(struct cs_host_free_error){.call = call, .address = address, .stack = stack});
}

void cs_host_found_order(cs_u64 start, const char *call, cs_u32 use, cs_u32 stack) {
  found_free(ORDERS, &(struct cs_host_free_error){call, start, stack, CS_ORDER_FREE_BEFORE_USE, use});
}

void cs_host_found_api(const struct cs_host_api_error *error) {
  enum total total = error->order ? ORDERS : COPIES;
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  int first = is_first(total, error->stack);
  count(total, error->stack, first, first && cs_host_finding_api(error));
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

void cs_host_found_argument(const struct cs_host_argument_error *error) {
  enum total total = error->order ? ORDERS : ARGUMENTS;
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  int first = is_first(total, error->stack);
  invalid_argument = 1;
  count(total, error->stack, first, first && cs_host_finding_argument(error));
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

/* Whether an earlier error may have caused the fault: an argument, an access that was carried out, or one whose result
 * was replaced. Faults of launches that the options ignore are not reported either. */
static int is_explained(void) {
  int carried_out = cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_CONTINUE;
  return ignoring || invalid_argument || (device_errors && (carried_out || device_findings));
}

void cs_host_found_fault(const struct cs_host_fault_error *error) {
  static int known; /* after a fault, every call returns the error */
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  int fresh = !known && !is_explained();
  known = 1;
  if (fresh)
    count(FAULTS, error->stack, 1, cs_host_finding_fault(error));
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

static void found_canary(const struct cs_host_canary_error *error) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  int carried_out = cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_CONTINUE;
  if (!discarded && !(carried_out && (device_errors || totals[COPIES])))
    count(CANARIES, 0, 1, cs_host_finding_canary(error));
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

void cs_host_found_canaries(void) {
  struct cs_host_canary_error error;
  while (!cs_host_canary_take(&error))
    found_canary(&error);
}

void cs_host_found_leaks(void) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  cs_u64 bytes;
  totals[LEAKS] = cs_host_leaks_report(&bytes);
  if (totals[LEAKS])
    set_found();
  print_total(LEAKS);
  cs_host_output_leaks(totals[LEAKS], bytes);
  cs_host_output_end(all_errors());
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}
