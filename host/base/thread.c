/* thread.c: starts CuSafe's own threads. */
#include "host/base/thread.h"
#include "host/base/inside.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

static void *run(void *argument) {
  void (*work)(void);
  memcpy(&work, &argument, sizeof work);
  cs_host_inside_enter();
  for (;;) {
    work();
    cs_host_owes_nothing("a thread of CuSafe", 0);
  }
  return NULL;
}

int cs_host_thread_start(void (*work)(void)) {
  pthread_t thread;
  sigset_t all, before;
  void *argument;
  memcpy(&argument, &work, sizeof argument);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, NULL, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!error)
    pthread_detach(thread);
  return error ? -1 : 0;
}
