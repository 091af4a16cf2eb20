/* progress.h: shows that a long step is in progress. */
#ifndef CUSAFE_CPU_PROGRESS_H
#define CUSAFE_CPU_PROGRESS_H

#include <pthread.h>
#include <stddef.h>
#include <time.h>

struct cs_cpu_progress {
  int shown; /* the thread that shows the line runs */
  int done;
  const char *text;
  struct timespec series; /* the start of the first of the steps that follow each other at once */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
};

/* What is shown while a kernel is compiled, by its mangled name; NULL: the module of variables. */
enum { CS_CPU_PROGRESS_TEXT = 160 };
void cs_cpu_progress_text(const char *kernel, char *text, size_t room);

/* From the third second on, a terminal shows one line that is rewritten each second and removed at the end. Steps that
 * follow each other at once count as one, so that many short ones are shown, too. A log shows one line, after
 * cs_cpu_progress_log_delay seconds of the process's processor time. `text` must live until the end. */
extern int cs_cpu_progress_log_delay;
void cs_cpu_progress_begin(struct cs_cpu_progress *progress, const char *text);
void cs_cpu_progress_end(struct cs_cpu_progress *progress);

#endif
