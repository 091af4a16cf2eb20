/* thread.c: starts CuSafe's own threads. */
#include "host/base/thread.h"
#include "host/base/inside.h"
#include <pthread.h>
#include <signal.h>
#include <string.h>

static void (*work_of(void *argument))(void) {
  void (*work)(void);
  memcpy(&work, &argument, sizeof work);
  return work;
}

static void *run_once(void *argument) {
  cs_host_inside_enter();
  work_of(argument)();
  return NULL;
}

static void *run_for_ever(void *argument) {
  cs_host_inside_enter();
  for (;;) {
    work_of(argument)();
    cs_host_owes_nothing("a thread of CuSafe", 0);
  }
  return NULL;
}

/* Detached from the start: the program may end at any moment. */
static int start(void *(*run)(void *), void (*work)(void)) {
  pthread_t thread;
  pthread_attr_t detached;
  sigset_t all, before;
  void *argument;
  memcpy(&argument, &work, sizeof argument);
  if (pthread_attr_init(&detached))
    return -1;
  pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_create(&thread, &detached, run, argument);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&detached);
  return error ? -1 : 0;
}

int cs_host_thread_once(void (*work)(void)) {
  return start(run_once, work);
}

int cs_host_thread_for_ever(void (*work)(void)) {
  return start(run_for_ever, work);
}
