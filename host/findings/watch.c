/* watch.c: an error in a kernel that runs on for long, or waits for a debugger, is reported without waiting for its end. */
#include "host/findings/watch.h"
#include "host/base/inside.h"
#include "host/findings/drain.h"
#include "options/options.h"
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* Long enough for the rest of a short launch to err too: its own end is the better moment, with exact counts. */
enum { PAUSE_MS = 100, PATIENCE = 10 };

static void *watch(void *unused) {
  (void)unused;
  const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
  cs_host_inside_enter(); /* the driver's functions are the driver's here */
  int halts = cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_HALT;
  for (int waited = 0;; waited = halts && cs_host_drain_pending() ? waited + 1 : 0) {
    nanosleep(&pause, NULL);
    if (waited >= PATIENCE || cs_host_drain_awaited())
      cs_host_drain_running();
  }
  return NULL;
}

static void start(void) {
  pthread_t thread;
  sigset_t all, before;
  sigfillset(&all); /* signals are the program's */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (pthread_create(&thread, NULL, watch, NULL) == 0)
    pthread_detach(thread);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void cs_host_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}
