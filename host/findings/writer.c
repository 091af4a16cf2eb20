/* writer.c: the queue of what the thread writes. One thread adds items, one writes them, so two counters suffice. */
#include "host/findings/writer.h"
#include "host/base/degraded.h"
#include "host/base/thread.h"
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { ROOM = 256, ROOM_BYTES = 8 << 20, PATIENCE_MS = 100 };

static struct item {
  void (*write)(void *item);
  void *item;
  size_t bytes;
} items[ROOM];

static cs_u32 added, written;
static size_t waiting;       /* bytes of the items between them */
static sem_t work, progress; /* posted for each item that is added; that is written */
static int has_thread;
static int is_slow;   /* an item was waited for in vain; only the thread that adds items uses it */
static int abandoned; /* the process ends */

static void write_next(void) {
  while (sem_wait(&work))
    ;
  if (__atomic_load_n(&abandoned, __ATOMIC_ACQUIRE))
    return;
  const struct item item = items[written % ROOM];
  item.write(item.item);
  __atomic_sub_fetch(&waiting, item.bytes, __ATOMIC_RELAXED);
  __atomic_store_n(&written, written + 1, __ATOMIC_RELEASE);
  sem_post(&progress);
}

static void start(void) {
  sem_init(&work, 0, 0);
  sem_init(&progress, 0, 0);
  has_thread = cs_host_thread_for_ever(write_next) == 0;
  if (!has_thread)
    cs_host_nothing_lost();
}

static cs_u32 count(void) {
  return added - __atomic_load_n(&written, __ATOMIC_ACQUIRE);
}

/* Returns whether all items are written. */
static int wait_for(int milliseconds) {
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += milliseconds / 1000;
  until.tv_nsec += milliseconds % 1000 * 1000000L;
  until.tv_sec += until.tv_nsec / 1000000000L;
  until.tv_nsec %= 1000000000L;
  while (count())
    if (sem_timedwait(&progress, &until) && errno == ETIMEDOUT)
      return count() == 0;
  return 1;
}

int cs_host_writer_put(void (*write)(void *item), void *item, size_t bytes) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, start);
  if (!has_thread) {
    write(item);
    return 0;
  }
  if (abandoned || count() == ROOM || __atomic_load_n(&waiting, __ATOMIC_RELAXED) + bytes > ROOM_BYTES)
    return -1;
  is_slow &= count() > 0;
  __atomic_add_fetch(&waiting, bytes, __ATOMIC_RELAXED);
  items[added % ROOM] = (struct item){write, item, bytes};
  added++; /* the semaphore publishes the item */
  sem_post(&work);
  is_slow |= !is_slow && !wait_for(PATIENCE_MS);
  return 0;
}

int cs_host_writer_wait(int milliseconds) {
  return abandoned || (has_thread && !wait_for(milliseconds)) ? -1 : 0;
}

int cs_host_writer_flush(int milliseconds, void (*lose)(void *item)) {
  if (abandoned)
    return -1;
  if (!has_thread || wait_for(milliseconds))
    return 0;
  __atomic_store_n(&abandoned, 1, __ATOMIC_RELEASE);
  for (cs_u32 i = __atomic_load_n(&written, __ATOMIC_ACQUIRE); i != added; i++)
    lose(items[i % ROOM].item);
  return -1;
}
