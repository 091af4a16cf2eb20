/* test_writer.c: the queue of report files, with a file that does not answer. */
#include "host/base/inside.h"
#include "host/findings/writer.h"
#include "host/tests/test.h"
#include <sched.h>
#include <semaphore.h>
#include <time.h>

_Thread_local int cs_host_inside_depth; /* of hooks/interpose.c, which the thread sets */

static sem_t answer;        /* posted to let one write end */
static int has_answer_time; /* a write waits for `answer` */
static int next, lost;

/* Items are their numbers, in order. */
static void write_item(void *item) {
  while (has_answer_time && sem_wait(&answer))
    ;
  assert_int_equal((intptr_t)item, next);
  __atomic_store_n(&next, next + 1, __ATOMIC_RELEASE);
}

static void lose_item(void *item) {
  assert_in_range((intptr_t)item, 1, 1000);
  lost++;
}

static long milliseconds_since(const struct timespec *start) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - start->tv_sec) * 1000 + (now.tv_nsec - start->tv_nsec) / 1000000;
}

static int put(int i) {
  return cs_host_writer_put(write_item, (void *)(intptr_t)i, 1000);
}

/* A quick file has each item when the call returns. A slow one delays a single call; what has room is written later, in
 * order, and what has none is refused. */
static void slow_files(void **state) {
  (void)state;
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(put(i), 0);
    assert_int_equal(__atomic_load_n(&next, __ATOMIC_ACQUIRE), i + 1);
  }
  assert_int_equal(cs_host_writer_wait(0), 0);
  has_answer_time = 1;
  int added = 100;
  while (added < 1000 && put(added) == 0)
    added++;
  assert_int_equal(added, 100 + 256);
  assert_int_equal(cs_host_writer_put(write_item, NULL, 0), -1);
  assert_in_range(milliseconds_since(&start), 100, 5000);
  assert_int_equal(cs_host_writer_wait(10), -1);
  for (int i = 0; i < 200; i++)
    sem_post(&answer);
  while (__atomic_load_n(&next, __ATOMIC_ACQUIRE) < 300)
    sched_yield();
  assert_int_equal(cs_host_writer_put(write_item, (void *)(intptr_t)added, 9 << 20), -1);
  assert_int_equal(cs_host_writer_flush(50, lose_item), -1);
  assert_int_equal(lost, 56);
  assert_int_equal(cs_host_writer_wait(10), -1);
  assert_int_equal(cs_host_writer_put(write_item, NULL, 0), -1);
  assert_int_equal(cs_host_writer_flush(50, lose_item), -1);
  assert_int_equal(lost, 56);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(slow_files)};
  sem_init(&answer, 0, 0);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
