/* select.c: counts launches, and has drain.c discard the errors of those that the options do not select. */
#include "host/hooks/select.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/hash.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/findings/drain.h"
#include "host/findings/kernel_filter.h"
#include "host/launch/running.h"
#include "host/modules/kernel.h"
#include "host/modules/module.h"
#include "host/process/stream.h"
#include "options/nearest.h"
#include "options/process.h"
#include "report/arena.h"
#include "report/demangle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int active;       /* the options select launches */
static int counting = 1; /* launches count now */
static int changing;     /* a thread has its turn to change `counting`: it waits for the device, without the lock */
static cs_u64 matched;   /* launches of selected kernels so far */
static cs_u64 taken;     /* of these, launches that count */

void cs_host_select_open(void) {
  cs_host_kernel_filter_open();
  active = cs_options_select_launches(cs_options());
  counting = !active;
  if (active)
    cs_host_drain_ignore(1);
}

/* ---- what the program turns off ---- */

struct stream {
  struct cs_host_node node; /* by key_of() */
};
static struct cs_host_hash off; /* streams */
static int is_used;             /* checks were turned off at some time; may be read without the lock */
static _Thread_local int thread_off;

static void note_use(void) {
  __atomic_store_n(&is_used, 1, __ATOMIC_RELEASE);
  cs_host_changed();
}

void cs_host_select_thread(int on) {
  thread_off = !on;
  note_use();
}

/* The legacy default stream has two handles. */
static uint64_t key_of(CUstream stream) {
  return stream == CU_STREAM_LEGACY ? 0 : (uint64_t)stream;
}

void cs_host_select_stream(CUstream stream, int on) {
  cs_host_lock(CS_HOST_LOCK_SELECT);
  struct cs_host_node *known = cs_host_hash_find(&off, key_of(stream));
  struct stream *added = on || known ? NULL : calloc(1, sizeof *added);
  if (on && known) {
    cs_host_hash_remove(&off, known);
    free(known);
  }
  if (added) {
    added->node.key = key_of(stream);
    if (cs_host_hash_add(&off, &added->node))
      free(added); /* out of memory: the stream stays checked */
  }
  cs_host_unlock(CS_HOST_LOCK_SELECT);
  note_use();
}

void cs_host_select_stream_ended(CUstream stream) {
  if (__atomic_load_n(&is_used, __ATOMIC_ACQUIRE))
    cs_host_select_stream(stream, 1);
}

int cs_host_select_is_off(CUstream stream) {
  if (!__atomic_load_n(&is_used, __ATOMIC_ACQUIRE))
    return 0;
  if (thread_off)
    return 1;
  cs_host_lock(CS_HOST_LOCK_SELECT);
  int found = cs_host_hash_find(&off, key_of(stream)) != NULL;
  cs_host_unlock(CS_HOST_LOCK_SELECT);
  return found;
}

/* ---- names ---- */

/* Names that were not selected, each once, as far as there is room. */
enum { PASSED_MAX = 64 };
static const char *passed[PASSED_MAX];
static size_t passed_count;
static int passed_more;

static void remember(const char *demangled) {
  size_t whole;
  const char *name = cs_host_kernel_plain_name(demangled, &whole);
  cs_host_lock(CS_HOST_LOCK_SELECT);
  size_t i = taken ? passed_count : 0; /* once a launch is selected, no hint is needed */
  while (i < passed_count && (strlen(passed[i]) != whole || strncmp(passed[i], name, whole) != 0))
    i++;
  if (i == PASSED_MAX)
    passed_more = 1;
  else if (!taken && i == passed_count && (passed[i] = strndup(name, whole)))
    passed_count++;
  cs_host_unlock(CS_HOST_LOCK_SELECT);
}

static int is_selected(CUfunction function) {
  void *arena = NULL;
  const char *mangled = cs_host_kernel_info(function).name,
             *name = mangled ? cs_report_demangle(&arena, mangled) : NULL;
  int selected = cs_host_kernel_filter_accepts(name);
  if (!selected)
    remember(name);
  cs_report_arena_release(&arena);
  return selected;
}

/* ---- launches ---- */

/* Whether this launch of a selected kernel counts. */
static int is_in_range(void) {
  const struct cs_options *o = cs_options();
  cs_u64 number = matched++, skip = (cs_u64)o->launch_skip, count = (cs_u64)o->launch_count;
  int counts = number >= skip && (!count || number - skip < count);
  taken += (cs_u64)counts;
  return counts;
}

/* Launches before this one must have ended before others count. Where they have not, errors of both are reported: none
 * is missed. Returns whether launches count now. */
static int change(int counts) {
  if (!cs_host_running_await()) {
    cs_host_message_once(
        0, "launches that are not selected run at the same time as selected ones: their errors are reported, too");
    if (!counts)
      return 1;
  }
  int used = __atomic_load_n(&is_used, __ATOMIC_ACQUIRE);
  if (used && counts) /* errors end launches again */
    cs_host_modules_perform(0);
  cs_host_drain_ignore(!counts);
  if (used && !counts)
    cs_host_modules_perform(1);
  return counts;
}

static int decide(int selected) {
  cs_host_lock(CS_HOST_LOCK_SELECT);
  while (changing)
    cs_host_lock_wait(CS_HOST_LOCK_SELECT);
  int counts = selected && is_in_range();
  if (counts != counting) {
    changing = 1;
    cs_host_unlock(CS_HOST_LOCK_SELECT);
    int count_now = change(counts);
    cs_host_lock(CS_HOST_LOCK_SELECT);
    counting = count_now;
    changing = 0;
    cs_host_lock_wake(CS_HOST_LOCK_SELECT);
  }
  cs_host_unlock(CS_HOST_LOCK_SELECT);
  return counts;
}

int cs_host_select_counts(void) {
  return active || __atomic_load_n(&is_used, __ATOMIC_ACQUIRE);
}

/* A captured launch does not run now. */
int cs_host_select_launch(CUfunction function, CUstream stream) {
  if (!cs_host_select_counts() || cs_host_is_capturing(stream))
    return 1;
  return decide(!cs_host_select_is_off(stream) && (!active || is_selected(function)));
}

void cs_host_select_graph(void) {
  if (cs_host_select_counts())
    decide(1);
}

/* ---- the end ---- */

static void print_filters(FILE *out) {
  const struct cs_options *o = cs_options();
  const char *between = "";
  if (*o->kernel)
    fprintf(out, "kernel=%s", o->kernel), between = ", ";
  if (*o->kernel_regex)
    fprintf(out, "%skernel_regex=%s", between, o->kernel_regex), between = ", ";
  if (o->launch_skip)
    fprintf(out, "%slaunch_skip=%d", between, o->launch_skip);
}

/* The launched kernel whose name is most similar; without namespaces, unless the option has one. */
static const char *nearest_name(void) {
  const char *wanted = cs_options()->kernel, *names[PASSED_MAX];
  for (size_t i = 0; i < passed_count; i++) {
    const char *colon = strstr(wanted, "::") ? NULL : strrchr(passed[i], ':');
    names[i] = colon ? colon + 1 : passed[i];
  }
  return *wanted ? cs_options_nearest(wanted, names, passed_count) : NULL;
}

static void print_passed(FILE *out) {
  enum { SHOWN = 8 };
  const char *meant = nearest_name();
  if (meant)
    fprintf(out, "; did you mean %s?", meant);
  fputs(meant ? " Launched kernels: " : "; launched kernels: ", out);
  for (size_t i = 0; i < passed_count && i < SHOWN; i++)
    fprintf(out, "%s%s", i ? ", " : "", passed[i]);
  if (passed_count > SHOWN || passed_more)
    fputs(" and others", out);
}

/* Without any launch the filter is not the reason. */
void cs_host_select_print(void) {
  char *text = NULL;
  size_t bytes = 0;
  if (!active || taken || (!matched && !passed_count))
    return;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return;
  fputs("no launch was selected by ", out);
  print_filters(out);
  if (matched)
    fprintf(out, ": there %s %llu launch%s", matched == 1 ? "was" : "were", matched, matched == 1 ? "" : "es");
  else
    print_passed(out);
  if (fclose(out) == 0)
    cs_host_message(0, "%s", text);
  free(text);
}
