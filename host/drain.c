/* drain.c: drains the rings, keeps the totals, and ends the process when it is to halt. */
#include "host/drain.h"
#include "host/finding.h"
#include "host/options.h"
#include "host/say.h"
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static cs_u64 device_errors, bad_frees;
static int totals_printed;

static int has_news(const struct cs_context *c) {
  const struct cs_ring *ring = __atomic_load_n(&c->ring, __ATOMIC_ACQUIRE);
  return ring && (c->errors != cs_ring_errors(ring) || c->drained != cs_ring_written(ring));
}

/* Returns 0, or -1 if some counts could not be read. */
static int refresh_counts(const struct cs_context *context) {
  int error = 0;
  for (cs_u32 i = 0; i < cs_checked_count(); i++)
    if (cs_checked_by_number(i)->context == context && cs_checked_refresh(cs_checked_by_number(i)))
      error = -1;
  return error;
}

static void drain_context(struct cs_context *c, int last) {
  const struct cs_record *record;
  cs_u64 errors = cs_ring_errors(c->ring), fresh = errors - c->errors;
  /* A kernel that trapped takes its module's counts with it; a single record then stands for all new errors. */
  int counted = refresh_counts(c) == 0;
  cs_u64 each = !counted && cs_ring_written(c->ring) - c->drained == 1 ? fresh : 1;
  while ((record = cs_ring_next(c->ring, &c->drained, last))) {
    struct cs_checked *checked = cs_checked_by_number(record->module);
    if (checked)
      cs_tally_record(&checked->tally, record->site, each);
    cs_finding_access(record, checked);
  }
  device_errors += fresh;
  c->errors = errors;
}

static const char *plural(cs_u64 count) {
  return count == 1 ? "" : "s";
}

static void print_totals(void) {
  size_t sites = 0;
  for (cs_u32 i = 0; i < cs_checked_count(); i++)
    sites += cs_tally_sites(&cs_checked_by_number(i)->tally);
  if (device_errors)
    cs_say(0, "%llu bad access%s at %zu place%s in kernels", device_errors, device_errors == 1 ? "" : "es", sites,
           plural(sites));
  if (bad_frees)
    cs_say(0, "%llu bad free%s", bad_frees, plural(bad_frees));
  totals_printed = 1;
}

static void halt(void) {
  print_totals();
  fflush(stdout);
  fflush(cs_out());
  _exit(cs_options()->exitcode);
}

static void drain(int last) {
  int news = 0;
  for (struct cs_context *c = cs_context_first(); c; c = c->next)
    if (has_news(c)) {
      drain_context(c, last);
      news = 1;
    }
  cs_kernels_drained();
  if (news && device_errors && cs_options()->halt_on_error)
    halt();
}

static int any_news(void) {
  for (struct cs_context *c = cs_context_first(); c; c = c->next)
    if (has_news(c))
      return 1;
  return 0;
}

void cs_drain(void) {
  if (!any_news()) {
    cs_kernels_drained();
    return;
  }
  pthread_mutex_lock(&lock);
  drain(0);
  pthread_mutex_unlock(&lock);
}

void cs_drain_last(void) {
  pthread_mutex_lock(&lock);
  drain(1);
  if (!totals_printed && (device_errors || bad_frees))
    print_totals();
  pthread_mutex_unlock(&lock);
}

void cs_found_bad_free(cs_u64 address, const char *call, cs_u32 stack) {
  pthread_mutex_lock(&lock);
  bad_frees++;
  cs_finding_free(address, call, stack);
  if (cs_options()->halt_on_error)
    halt();
  pthread_mutex_unlock(&lock);
}
