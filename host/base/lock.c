/* lock.c: the locks of libcusafe, and in builds with CUSAFE_LOCK_CHECKS the proof that they are used by the rules of
 * lock.h. */
#include "host/base/lock.h"

pthread_mutex_t cs_host_locks[CS_HOST_LOCK_COUNT] = {
#define CS_HOST_LOCK(id, why) [CS_HOST_LOCK_##id] = PTHREAD_MUTEX_INITIALIZER,
#include "host/base/locks.inc"
};

static pthread_cond_t conditions[CS_HOST_LOCK_COUNT] = {
#define CS_HOST_LOCK(id, why) [CS_HOST_LOCK_##id] = PTHREAD_COND_INITIALIZER,
#include "host/base/locks.inc"
};

#ifdef CUSAFE_LOCK_CHECKS
#include <stdio.h>
#include <stdlib.h>

static const char *const names[] = {
#define CS_HOST_LOCK(id, why) #id,
#include "host/base/locks.inc"
};

/* One bit for each lock that this thread holds. */
static _Thread_local unsigned held __attribute__((tls_model("initial-exec")));

static _Noreturn void die(const char *what, const char *name, unsigned with) {
  fprintf(stderr, "cusafe: %s %s with the lock %s held\n", what, name, names[__builtin_ctz(with)]);
  abort();
}

void cs_host_lock_taking(enum cs_host_lock_id id) {
  if (held >> id)
    die("takes the lock", names[id], held >> id << id);
}

void cs_host_lock_taken(enum cs_host_lock_id id) {
  held |= 1u << id;
}

void cs_host_lock_leaving(enum cs_host_lock_id id) {
  if (!(held >> id & 1))
    die("releases the lock", names[id], held | 1u << id);
  held &= ~(1u << id);
}

void cs_host_lock_none_held(const char *what) {
  if (held)
    die("may wait in", what, held);
}
#endif

void cs_host_lock_wait(enum cs_host_lock_id id) {
  cs_host_lock_leaving(id);
  cs_host_lock_none_held("a turn");
  pthread_cond_wait(&conditions[id], &cs_host_locks[id]);
  cs_host_lock_taken(id);
}

void cs_host_lock_wake(enum cs_host_lock_id id) {
  pthread_cond_broadcast(&conditions[id]);
}
