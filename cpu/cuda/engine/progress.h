/* progress.h: shows that a long step is in progress. */
#ifndef CUSAFE_CPU_PROGRESS_H
#define CUSAFE_CPU_PROGRESS_H

#include <pthread.h>

struct cs_cpu_progress {
  int shown; /* standard error is a terminal, and the thread that shows the line runs */
  int done;
  const char *text;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

/* From the third second on, standard error shows one line that is rewritten each second and removed at the end; nothing
 * if standard error is not a terminal. `text` must live until the end. */
void cs_cpu_progress_begin(struct cs_cpu_progress *progress, const char *text);
void cs_cpu_progress_end(struct cs_cpu_progress *progress);

#endif
