/* reclaim.c: the thread that waits for the device so that no thread of the program has to. */
#include "host/heap/reclaim.h"
#include "host/base/thread.h"
#include "host/process/process.h"
#include "host/process/reclaim.h"
#include <pthread.h>
#include <semaphore.h>

static sem_t work;

static void reclaim(void) {
  if (sem_wait(&work) == 0)
    cs_host_heap_reclaim(cs_host_process_heap());
}

/* Without a thread, the memory returns with the next synchronous free, or when there is no other. */
static void start(void) {
  sem_init(&work, 0, 0);
  cs_host_thread_for_ever(reclaim);
}

void cs_host_reclaim_soon(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (!cs_host_heap_has_leaving(cs_host_process_heap()))
    return;
  pthread_once(&once, start);
  sem_post(&work);
}
