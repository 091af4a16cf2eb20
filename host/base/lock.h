/* lock.h: every lock of libcusafe, and the rule that none is held while the device is waited for. locks.inc lists them
 * in order.
 *
 * A build with CUSAFE_LOCK_CHECKS ends the process with abort() when a thread takes locks out of order, or makes a
 * driver call that may wait (waits.inc) with a lock held. Without it, a lock is a mutex and nothing else.
 *
 * Work that must happen in one thread, but may wait for the device, is done in a turn: a thread sets a flag under a
 * lock, releases the lock, works, clears the flag and wakes the others, which wait in cs_host_lock_wait(). */
#ifndef CUSAFE_HOST_BASE_LOCK_H
#define CUSAFE_HOST_BASE_LOCK_H

#include <pthread.h>

enum cs_host_lock_id {
#define CS_HOST_LOCK(id, why) CS_HOST_LOCK_##id,
#include "host/base/locks.inc"
  CS_HOST_LOCK_COUNT
};

extern pthread_mutex_t cs_host_locks[CS_HOST_LOCK_COUNT] __attribute__((visibility("hidden")));

#ifdef CUSAFE_LOCK_CHECKS
/* Before the lock is taken; after it was taken; before it is released. */
void cs_host_lock_taking(enum cs_host_lock_id id);
void cs_host_lock_taken(enum cs_host_lock_id id);
void cs_host_lock_leaving(enum cs_host_lock_id id);
/* This thread is about to wait for the device, or for a thread that may do so. */
void cs_host_lock_none_held(const char *what);
#else
static inline void cs_host_lock_taking(enum cs_host_lock_id id) {
  (void)id;
}
static inline void cs_host_lock_taken(enum cs_host_lock_id id) {
  (void)id;
}
static inline void cs_host_lock_leaving(enum cs_host_lock_id id) {
  (void)id;
}
static inline void cs_host_lock_none_held(const char *what) {
  (void)what;
}
#endif

static inline void cs_host_lock(enum cs_host_lock_id id) {
  cs_host_lock_taking(id);
  pthread_mutex_lock(&cs_host_locks[id]);
  cs_host_lock_taken(id);
}

/* Returns 0 if the lock was taken. Never waits, so the order does not matter. */
static inline int cs_host_trylock(enum cs_host_lock_id id) {
  int busy = pthread_mutex_trylock(&cs_host_locks[id]);
  if (!busy)
    cs_host_lock_taken(id);
  return busy;
}

static inline void cs_host_unlock(enum cs_host_lock_id id) {
  cs_host_lock_leaving(id);
  pthread_mutex_unlock(&cs_host_locks[id]);
}

/* With this lock held, and no other: releases it until another thread calls cs_host_lock_wake(). Returns with the lock
 * held. */
void cs_host_lock_wait(enum cs_host_lock_id id);
/* With the lock held. */
void cs_host_lock_wake(enum cs_host_lock_id id);

#endif
