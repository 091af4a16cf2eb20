/* drain.c: drains the rings, keeps the totals, and ends the process when it is to halt. */
#include "host/drain.h"
#include "host/field.h"
#include "host/leak.h"
#include "host/options.h"
#include "host/say.h"
#include "host/stack.h"
#include <pthread.h>
#include <unistd.h>

/* What the host finds itself, with the sentence for its total: X(id, one, many). */
#define TOTALS(X)                                                                                                      \
  X(FREES, "1 bad free", "%llu bad frees")                                                                             \
  X(COPIES, "1 bad copy or fill", "%llu bad copies or fills")                                                          \
  X(ARGUMENTS, "1 bad kernel argument", "%llu bad kernel arguments")                                                   \
  X(LEAKS, "1 buffer was never freed", "%llu buffers were never freed")

enum total {
#define X(id, one, many) id,
  TOTALS(X)
#undef X
      TOTAL_COUNT
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cs_u64 device_errors, totals[TOTAL_COUNT];
static int totals_printed;

static int halts(void) {
  return cs_options_on_error(cs_options()) == CS_ON_ERROR_HALT;
}

static int has_news(const struct cs_checked *c) {
  return c->ring && (c->errors != cs_ring_errors(c->ring) || c->drained != cs_ring_written(c->ring));
}

static const struct cs_record *record_at(const struct cs_checked *c, cs_u32 index) {
  return (const struct cs_record *)(c->ring + 1) + index;
}

static void report_record(struct cs_checked *c, const struct cs_record *record) {
  if (!record->ready)
    return;
  if (cs_field_is_covered(c, record->site))
    cs_tally_hide(&c->tally, record->site);
  else
    cs_finding_access(record, c);
}

enum moment { BETWEEN, RUNNING, LAST }; /* what the device is doing */

static void drain_module(struct cs_checked *c, enum moment moment) {
  const struct cs_record *record;
  cs_u32 first = c->drained;
  cs_u64 errors = cs_ring_errors(c->ring), fresh = errors - c->errors;
  /* A kernel that trapped takes its module's counts with it; a single record then stands for all new errors. */
  int counted = moment != RUNNING && cs_checked_refresh(c) == 0;
  cs_u64 each = !counted && cs_ring_written(c->ring) - c->drained == 1 ? fresh : 1;
  while ((record = cs_ring_next(c->ring, &c->drained, moment == LAST)))
    cs_tally_record(&c->tally, record, each);
  for (cs_u32 i = first; i < c->drained; i++)
    report_record(c, record_at(c, i));
  device_errors += fresh;
  c->errors = errors;
}

static const char *plural(cs_u64 count) {
  return count == 1 ? "" : "s";
}

static void print_device_total(void) {
  struct cs_totals t = {0};
  for (cs_u32 i = 0; i < cs_checked_count(); i++)
    cs_tally_total(&cs_checked_by_number(i)->tally, &t);
  cs_u64 errors = device_errors > t.hidden ? device_errors - t.hidden : 0;
  if (errors)
    cs_say(0, "%llu bad access%s at %llu place%s in kernels", errors, errors == 1 ? "" : "es", t.sites,
           plural(t.sites));
  if (t.silent)
    cs_say(0, "%llu of these places could not be reported: there was no room for a record", t.silent);
}

static void print_total(enum total id) {
  static const char *const texts[][2] = {
#define X(id, one, many) {one, many},
      TOTALS(X)
#undef X
  };
  if (totals[id])
    cs_say(0, texts[id][totals[id] > 1], totals[id]);
}

static void print_totals(void) {
  print_device_total();
  for (enum total id = 0; id < TOTAL_COUNT; id++)
    print_total(id);
  totals_printed = 1;
}

static void halt(void) {
  print_totals();
  fflush(stdout);
  fflush(cs_out());
  _exit(cs_options()->exitcode);
}

static void drain(enum moment moment) {
  int news = 0;
  for (cs_u32 i = 0; i < cs_checked_count(); i++)
    if (has_news(cs_checked_by_number(i))) {
      drain_module(cs_checked_by_number(i), moment);
      news = 1;
    }
  cs_kernels_drained();
  if (news && device_errors && halts())
    halt();
}

void cs_drain(void) {
  if (!cs_checked_count()) {
    cs_kernels_drained();
    return;
  }
  pthread_mutex_lock(&lock);
  drain(BETWEEN);
  pthread_mutex_unlock(&lock);
}

int cs_drain_pending(void) {
  int news = 0;
  if (pthread_mutex_trylock(&lock))
    return 0;
  for (cs_u32 i = 0; i < cs_checked_count() && !news; i++)
    news = has_news(cs_checked_by_number(i));
  pthread_mutex_unlock(&lock);
  return news;
}

void cs_drain_running(void) {
  if (pthread_mutex_trylock(&lock))
    return;
  drain(RUNNING);
  pthread_mutex_unlock(&lock);
}

void cs_drain_unloading(void *owner) {
  pthread_mutex_lock(&lock);
  drain(BETWEEN);
  cs_module_unloading(owner);
  pthread_mutex_unlock(&lock);
}

void cs_drain_context_gone(struct cs_context *context) {
  pthread_mutex_lock(&lock);
  cs_modules_of_context_gone(context);
  pthread_mutex_unlock(&lock);
}

static int any(void) {
  int found = device_errors != 0;
  for (enum total id = 0; id < TOTAL_COUNT; id++)
    found |= totals[id] != 0;
  return found;
}

void cs_drain_last(void) {
  pthread_mutex_lock(&lock);
  drain(LAST);
  if (!totals_printed && any())
    print_totals();
  pthread_mutex_unlock(&lock);
}

int cs_found_any(void) {
  pthread_mutex_lock(&lock);
  int found = any();
  pthread_mutex_unlock(&lock);
  return found;
}

/* A program that goes on may make the same mistake again and again: one report for each stack, if that is known. */
static int is_first_at(enum total id, cs_u32 stack) {
  static unsigned char seen[TOTAL_COUNT][CS_STACKS_MAX / 8];
  unsigned char bit = (unsigned char)(1u << stack % 8), *byte = &seen[id][stack / 8];
  int first = !stack || !(*byte & bit);
  *byte |= bit;
  return first;
}

/* Between these two the finding is printed. */
static int found(enum total id, cs_u32 stack) {
  pthread_mutex_lock(&lock);
  totals[id]++;
  return is_first_at(id, stack);
}

static void reported(void) {
  if (halts())
    halt();
  pthread_mutex_unlock(&lock);
}

void cs_found_bad_free(cs_u64 address, const char *call, cs_u32 stack) {
  if (found(FREES, stack))
    cs_finding_free(address, call, stack);
  reported();
}

void cs_found_api(const struct cs_api_error *error) {
  if (found(COPIES, error->stack))
    cs_finding_api(error);
  reported();
}

void cs_found_argument(const struct cs_argument_error *error) {
  if (found(ARGUMENTS, error->stack))
    cs_finding_argument(error);
  reported();
}

void cs_found_leaks(void) {
  pthread_mutex_lock(&lock);
  totals[LEAKS] = cs_leaks_report();
  print_total(LEAKS);
  pthread_mutex_unlock(&lock);
}
