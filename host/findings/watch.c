/* watch.c: reports errors of a kernel that runs for long, or waits for a debugger, before the kernel finishes. */
#include "host/findings/watch.h"
#include "host/base/inside.h"
#include "host/findings/drain.h"
#include "host/modules/checked.h"
#include "options/process.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Long enough for a short launch to finish: the counts are exact then. */
enum { PAUSE_MS = 100, PATIENCE = 10 };

static int halts(void) {
  return cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_HALT;
}

static void *watch(void *unused) {
  (void)unused;
  const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
  cs_host_inside_enter(); /* driver calls of this thread are not interposed */
  for (int waited = 0;; waited = halts() && cs_host_drain_pending() ? waited + 1 : 0) {
    nanosleep(&pause, NULL);
    if (waited >= PATIENCE || cs_host_drain_awaited())
      cs_host_drain_running();
  }
  return NULL;
}

static void start(void) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all); /* the program's threads handle its signals */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, NULL, watch, NULL) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cs_host_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (cs_host_checked_count() && (halts() || cs_options()->debugger))
    pthread_once(&once, start);
}
