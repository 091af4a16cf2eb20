/* progress.c: the line that a terminal shows while the engine compiles. */
#include "cpu/cuda/engine/progress.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

enum { DELAY = 2 }; /* seconds before the line appears */

/* Returns 1 when the work ends within this many seconds after `start`. */
static int done_within(struct cs_cpu_progress *p, const struct timespec *start, int seconds) {
  struct timespec until = {start->tv_sec + seconds, start->tv_nsec};
  while (!p->done)
    if (pthread_cond_timedwait(&p->changed, &p->lock, &until) != 0)
      break;
  return p->done;
}

static void *show(void *argument) {
  struct cs_cpu_progress *p = argument;
  struct timespec start;
  int seconds = DELAY;
  clock_gettime(CLOCK_MONOTONIC, &start);
  pthread_mutex_lock(&p->lock);
  for (; !done_within(p, &start, seconds); seconds++)
    fprintf(stderr, "\r\033[Kcusafe: %s (%d s)\r", p->text, seconds);
  pthread_mutex_unlock(&p->lock);
  if (seconds > DELAY)
    fputs("\r\033[K", stderr);
  return NULL;
}

void cs_cpu_progress_begin(struct cs_cpu_progress *p, const char *text) {
  pthread_condattr_t attributes;
  *p = (struct cs_cpu_progress){.text = text};
  if (!isatty(STDERR_FILENO))
    return;
  pthread_mutex_init(&p->lock, NULL);
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&p->changed, &attributes);
  pthread_condattr_destroy(&attributes);
  p->shown = pthread_create(&p->thread, NULL, show, p) == 0;
}

void cs_cpu_progress_end(struct cs_cpu_progress *p) {
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
