/* repeat.c: what can be repeated of the launches of each thread. */
#include "host/launch/repeat.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/launch/running.h"
#include "host/modules/canary.h"
#include "host/modules/kernel.h"
#include "host/process/context.h"
#include "host/process/order.h"
#include "options/process.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct cs_host_repeats none;
_Thread_local struct cs_host_repeating cs_host_repeating __attribute__((tls_model("initial-exec"))) = {&none, 0};

static int captures; /* streams that are captured */
static int is_off;

static pthread_key_t at_end;
static int has_key;

static void forget_thread(void *repeats) {
  cs_host_repeating.repeats = &none;
  free(repeats);
}

static void make_key(void) {
  has_key = pthread_key_create(&at_end, forget_thread) == 0;
}

/* Returns 0, or -1 if this thread has no memory for its launches. */
static int open_thread(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (cs_host_repeating.repeats != &none)
    return 0;
  pthread_once(&once, make_key);
  struct cs_host_repeats *made = has_key ? calloc(1, sizeof *made) : NULL;
  if (!made || pthread_setspecific(at_end, made)) {
    free(made);
    cs_host_nothing_lost(); /* launches take the long way */
    return -1;
  }
  cs_host_repeating.repeats = made;
  return 0;
}

static int has_one_context(void) {
  const struct cs_host_context *first = cs_host_context_first();
  return first && !first->next;
}

void cs_host_repeat_add(int is_per_thread, const struct cs_host_launch *launch, CUstream named, CUfunction bare,
                        cs_u64 before) {
  if (__atomic_load_n(&captures, __ATOMIC_SEQ_CST) || __atomic_load_n(&is_off, __ATOMIC_RELAXED) ||
      !has_one_context() || cs_host_order_is_tracked() || cs_options()->check_arguments || open_thread())
    return;
  struct cs_host_repeat *r = cs_host_repeat_slot(is_per_thread, launch->function, launch->grid[0]);
  *r = (struct cs_host_repeat){.function = launch->function, .bare = bare, .stream = named, .dynamic = launch->dynamic};
  memcpy(r->grid, launch->grid, sizeof r->grid);
  memcpy(r->block, launch->block, sizeof r->block);
  r->changes = before >> 32 << 32; /* noted with its stack, which its repetitions do not have */
}

static int is_same(const struct cs_host_repeat *r, const struct cs_host_launch *launch, CUstream named) {
  return r->function == launch->function && r->stream == named && r->dynamic == launch->dynamic &&
         memcmp(r->grid, launch->grid, sizeof r->grid) == 0 && memcmp(r->block, launch->block, sizeof r->block) == 0;
}

CUfunction cs_host_repeat_again(int is_per_thread, const struct cs_host_launch *launch, CUstream named) {
  struct cs_host_repeat *r = cs_host_repeat_slot(is_per_thread, launch->function, launch->grid[0]);
  cs_u64 now = cs_host_changes_now();
  struct cs_host_launch_note note = {.stack = 0};
  if (!is_same(r, launch, named) || r->changes >> 32 != now >> 32 || !cs_host_repeating.left)
    return NULL;
  cs_host_repeating.left--;
  memcpy(note.grid, launch->grid, sizeof note.grid);
  memcpy(note.block, launch->block, sizeof note.block);
  cs_host_kernel_repeated(launch->function, &note);
  cs_host_running_add(launch->stream);
  if (cs_host_canary_mode())
    cs_host_canaries_arm();
  r->changes = now;
  return r->bare;
}

void cs_host_repeat_capturing(void) {
  __atomic_fetch_add(&captures, 1, __ATOMIC_SEQ_CST);
  cs_host_changed();
}

void cs_host_repeat_captured(void) {
  __atomic_fetch_sub(&captures, 1, __ATOMIC_SEQ_CST);
}

void cs_host_repeat_never(void) {
  __atomic_store_n(&is_off, 1, __ATOMIC_RELAXED);
  cs_host_changed();
}
