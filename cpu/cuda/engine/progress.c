/* progress.c: the line that a terminal or a log shows while the engine compiles. */
#include "cpu/cuda/engine/progress.h"
#include "cpu/cuda/base/kernel_name.h"
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { DELAY = 2 };       /* seconds before a terminal shows the line */
enum { SERIES_MS = 300 }; /* a step that begins this soon after another continues its series */
int cs_cpu_progress_log_delay = 60;

static long milliseconds(const struct timespec *from, const struct timespec *to) {
  return (to->tv_sec - from->tv_sec) * 1000 + (to->tv_nsec - from->tv_nsec) / 1000000;
}

/* Returns 1 when the work ends within this many seconds after `start`. */
static int done_within(struct cs_cpu_progress *p, const struct timespec *start, int seconds) {
  struct timespec until = {start->tv_sec + seconds, start->tv_nsec};
  while (!p->done)
    if (pthread_cond_timedwait(&p->changed, &p->lock, &until) != 0)
      break;
  return p->done;
}

/* The seconds are those of the series, which the user waits for. Not shown at once: most of its steps may be short. */
static void show_on_terminal(struct cs_cpu_progress *p, const struct timespec *start) {
  int first = (int)(milliseconds(&p->series, start) / 1000) + 1, seconds = first < DELAY ? DELAY : first;
  for (first = seconds; !done_within(p, &p->series, seconds); seconds++)
    fprintf(stderr, "\r\033[Kcusafe: %s (%d s)\r", p->text, seconds);
  if (seconds > first)
    fputs("\r\033[K", stderr);
}

static int processor_seconds(void) {
  struct timespec used;
  return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) == 0 ? (int)used.tv_sec : 0;
}

/* By processor time: on a busy machine a short compilation takes long, and a log need not have it. */
static void show_in_log(struct cs_cpu_progress *p, const struct timespec *start) {
  int before = processor_seconds();
  for (int seconds = 1; !done_within(p, start, seconds); seconds++)
    if (processor_seconds() - before >= cs_cpu_progress_log_delay) {
      fprintf(stderr, "cusafe: %s (%d s of processor time so far)\n", p->text, cs_cpu_progress_log_delay);
      return;
    }
}

static void *show(void *argument) {
  struct cs_cpu_progress *p = argument;
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pthread_mutex_lock(&p->lock);
  if (isatty(STDERR_FILENO))
    show_on_terminal(p, &start);
  else
    show_in_log(p, &start);
  pthread_mutex_unlock(&p->lock);
  return NULL;
}

/* Without signals: those of the program go to its own threads. */
static int start_thread(struct cs_cpu_progress *p) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int failed = pthread_create(&p->thread, NULL, show, p);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return failed;
}

/* A name that fills a line is truncated: a terminal cannot rewrite more than one. */
void cs_cpu_progress_text(const char *kernel, char *text, size_t room) {
  enum { MAX_NAME = 26 };
  char *name = kernel ? cs_cpu_kernel_name(kernel) : NULL;
  if (name)
    snprintf(text, room, "compiling kernel %.*s%s; later runs load it", (int)MAX_NAME, name,
             strlen(name) > MAX_NAME ? "..." : "");
  else
    snprintf(text, room, "compiling variables for the CPU device; later runs load them");
  free(name);
}

/* The first launch of a program may take many short steps: compilations of several kernels, one after the other. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct timespec series_start, series_end; /* end: of its last step so far */

/* The start of the series that a step continues which begins now. */
static struct timespec start_of_series(void) {
  struct timespec now, start;
  clock_gettime(CLOCK_MONOTONIC, &now);
  pthread_mutex_lock(&lock);
  if (!series_end.tv_sec || milliseconds(&series_end, &now) > SERIES_MS)
    series_start = now;
  start = series_start;
  pthread_mutex_unlock(&lock);
  return start;
}

static void end_step(void) {
  pthread_mutex_lock(&lock);
  clock_gettime(CLOCK_MONOTONIC, &series_end);
  pthread_mutex_unlock(&lock);
}

void cs_cpu_progress_begin(struct cs_cpu_progress *p, const char *text) {
  pthread_condattr_t attributes;
  *p = (struct cs_cpu_progress){.text = text, .series = start_of_series()};
  pthread_mutex_init(&p->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&p->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  p->shown = start_thread(p) == 0;
}

void cs_cpu_progress_end(struct cs_cpu_progress *p) {
  end_step();
  if (!p->shown)
    return;
  pthread_mutex_lock(&p->lock);
  p->done = 1;
  pthread_cond_signal(&p->changed);
  pthread_mutex_unlock(&p->lock);
  pthread_join(p->thread, NULL);
  pthread_cond_destroy(&p->changed);
  pthread_mutex_destroy(&p->lock);
}
