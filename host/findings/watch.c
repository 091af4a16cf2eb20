/* watch.c: the thread that reports errors of kernels that run for long or wait for a debugger, and of a process that
 * leaves. */
#include "host/findings/watch.h"
#include "host/base/thread.h"
#include "host/findings/drain.h"
#include "host/launch/control.h"
#include "options/process.h"
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

/* PATIENCE pauses are long enough for a short launch to finish: the counts are exact then. LEAVE_MS is more than what
 * report files get. */
enum { PAUSE_MS = 100, CONTROL_MS = 1000, PATIENCE = 10, LEAVE_MS = 7000 };

static int running;  /* the thread exists */
static sem_t leaves; /* posted when the process leaves */
static int reported; /* the last report is complete */

static int halts(void) {
  return cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_HALT;
}

/* 0: for ever. */
static int pause_ms(void) {
  if (halts() || cs_options()->debugger)
    return PAUSE_MS;
  return *cs_options()->control ? CONTROL_MS : 0;
}

/* Waits until the process leaves, or for a pause. Returns whether it leaves. */
static int leaves_after_pause(void) {
  struct timespec until;
  int pause = pause_ms();
  if (!pause)
    return sem_wait(&leaves) == 0;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += pause / 1000;
  until.tv_nsec += pause % 1000 * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  return sem_timedwait(&leaves, &until) == 0;
}

/* Once a second. */
static void read_control(void) {
  static int since;
  since += pause_ms();
  if (since < CONTROL_MS)
    return;
  since = 0;
  cs_host_control_read();
}

static void watch(void) {
  static int waited;
  if (leaves_after_pause()) {
    cs_host_drain_leaving();
    __atomic_store_n(&reported, 1, __ATOMIC_RELEASE);
  } else {
    read_control();
    if (waited >= PATIENCE || cs_host_drain_awaited())
      cs_host_drain_running();
    waited = halts() && cs_host_drain_pending() ? waited + 1 : 0;
  }
}

static void start(void) {
  sem_init(&leaves, 0, 0);
  __atomic_store_n(&running, cs_host_thread_for_ever(watch) == 0, __ATOMIC_RELEASE);
}

void cs_host_watch(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
}

int cs_host_watch_leave(void) {
  const struct timespec pause = {.tv_nsec = 200000};
  struct timespec start, now;
  if (!__atomic_load_n(&running, __ATOMIC_ACQUIRE))
    return -1;
  sem_post(&leaves);
  clock_gettime(CLOCK_MONOTONIC, &start);
  do {
    if (__atomic_load_n(&reported, __ATOMIC_ACQUIRE))
      return 0;
    nanosleep(&pause, NULL);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < LEAVE_MS);
  return -1;
}
