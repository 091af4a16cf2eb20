/* large_stack.c: measures the stack, and starts a thread where it is too small. */
#include "host/base/large_stack.h"
#include "host/base/inside.h"
#include <pthread.h>
#include <signal.h>
#include <stddef.h>

enum { NEEDED = 512 << 10, GIVEN = 4 << 20 };

/* The bytes below this address on the thread's stack; 0 on one that is not the thread's own, as of a coroutine or a
 * signal handler. */
static size_t bytes_left(const char *here) {
  static _Thread_local struct {
    char *start;
    size_t bytes;
  } stack;
  pthread_attr_t attributes;
  void *start;
  if (!stack.start && pthread_getattr_np(pthread_self(), &attributes) == 0) {
    if (pthread_attr_getstack(&attributes, &start, &stack.bytes) == 0)
      stack.start = start;
    pthread_attr_destroy(&attributes);
  }
  return stack.start && here > stack.start && here < stack.start + stack.bytes ? (size_t)(here - stack.start) : 0;
}

struct job {
  void (*work)(void *data);
  void *data;
};

static void *run(void *job) {
  const struct job *j = job;
  cs_host_inside_enter();
  j->work(j->data);
  cs_host_nothing_lost(); /* what fails here costs a report its details */
  return NULL;
}

static int start(pthread_t *thread, struct job *job) {
  pthread_attr_t attributes;
  sigset_t all, before;
  if (pthread_attr_init(&attributes))
    return -1;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int error = pthread_attr_setstacksize(&attributes, GIVEN) || pthread_create(thread, &attributes, run, job);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  pthread_attr_destroy(&attributes);
  return error ? -1 : 0;
}

void cs_host_on_large_stack(void (*work)(void *data), void *data) {
  char here;
  pthread_t thread;
  struct job job = {work, data};
  int cancel;
  if (bytes_left(&here) >= NEEDED || start(&thread, &job)) {
    work(data);
    return;
  }
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
  pthread_join(thread, NULL);
  pthread_setcancelstate(cancel, NULL);
}
