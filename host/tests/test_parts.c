/* test_parts.c: history, stack numbers, the ring and the tally. */
#include "host/heap/history.h"
#include "host/modules/ring.h"
#include "host/stacks/stack.h"
#include "host/tests/test.h"
#include <string.h>

static cs_u64 window_at(cs_u64 slot) {
  return (9ull << CS_TAG_SHIFT) + (slot << cs_tag_log2(9));
}

static void history_keeps_the_last(void **state) {
  (void)state;
  enum { CAPACITY = 1024, FREES = 10 * CAPACITY };
  struct cs_host_history h = {0};
  cs_host_history_open(&h, CAPACITY);
  for (cs_u32 i = 0; i < FREES; i++) {
    struct cs_host_freed freed = {.start = window_at(i), .size = i + 1, .allocated_by = i, .freed_by = 2 * i};
    cs_host_history_add(&h, &freed);
  }
  for (cs_u32 i = 0; i < FREES; i++) {
    const struct cs_host_freed *found = cs_host_history_find(&h, window_at(i) + 5);
    assert_int_equal(found != NULL, i >= FREES - CAPACITY);
    if (found)
      assert_true(found->size == i + 1 && found->allocated_by == i && found->freed_by == 2 * i);
  }
}

static void history_gives_the_newest(void **state) {
  (void)state;
  struct cs_host_history h = {0};
  cs_host_history_open(&h, 16);
  for (cs_u32 i = 1; i <= 3; i++) {
    struct cs_host_freed freed = {.start = window_at(1), .size = i};
    cs_host_history_add(&h, &freed);
  }
  assert_true(cs_host_history_find(&h, window_at(1))->size == 3);
  assert_null(cs_host_history_find(&h, window_at(2)));
}

/* Windows of different sizes that share a slot of the table; only the newest of their frees are in the ring. */
static void history_of_colliding_windows(void **state) {
  (void)state;
  enum { CAPACITY = 16 };
  struct cs_host_history h = {0};
  cs_host_history_open(&h, CAPACITY);
  for (cs_u32 i = 1; i <= 100; i++) {
    struct cs_host_freed freed = {.start = window_at((cs_u64)CAPACITY * (i % 5) + 3), .size = i};
    cs_host_history_add(&h, &freed);
    for (cs_u32 j = 0; j < 5; j++) {
      const struct cs_host_freed *found = cs_host_history_find(&h, window_at((cs_u64)CAPACITY * j + 3));
      cs_u32 newest = i - (i + 5 - j) % 5;
      assert_int_equal(found ? (cs_u32)found->size : 0, newest > 0 && newest <= i ? newest : 0);
    }
    assert_null(cs_host_history_find(&h, window_at((cs_u64)CAPACITY * 7 + 3)));
  }
}

/* The table keeps 32 bits of a number. */
static void history_survives_many_frees(void **state) {
  (void)state;
  struct cs_host_history h = {0};
  cs_host_history_open(&h, 16);
  h.count = (1ull << 32) - 8;
  for (cs_u32 i = 1; i <= 16; i++) {
    struct cs_host_freed freed = {.start = window_at(i % 2), .size = i};
    cs_host_history_add(&h, &freed);
    if (i != 8) /* the free whose number is 0 */
      assert_int_equal(cs_host_history_find(&h, window_at(i % 2))->size, i);
  }
}

static void same_stack_same_number(void **state) {
  (void)state;
  void *a[] = {(void *)1, (void *)2, (void *)3}, *b[] = {(void *)1, (void *)2};
  cs_u32 first = cs_host_stack_intern(a, 3), second = cs_host_stack_intern(b, 2);
  assert_true(first && second && first != second);
  assert_int_equal(cs_host_stack_intern(a, 3), first);
  void *const *got;
  assert_int_equal(cs_host_stack_get(first, &got), 3);
  assert_memory_equal(got, a, sizeof a);
  assert_int_equal(cs_host_stack_get(0, &got), 0);
}

/* Must run before many_stacks, which fills the table, starting with the same stacks. */
static void launches_leave_room(void **state) {
  (void)state;
  assert_int_not_equal(cs_host_stack_here_sparing(), 0);
  for (cs_u64 i = 0; i < CS_HOST_STACKS_MAX / 4; i++) {
    void *pcs[] = {(void *)(i + 10), (void *)7};
    assert_int_not_equal(cs_host_stack_intern(pcs, 2), 0);
  }
  assert_int_equal(cs_host_stack_here_sparing(), 0);
  assert_int_not_equal(cs_host_stack_here(), 0);
}

static void many_stacks(void **state) {
  (void)state;
  enum { COUNT = 300000, KEPT = 1 << 18 };
  cs_u32 known = 0;
  for (size_t i = 0; i < COUNT; i++) {
    void *pcs[] = {(void *)(i + 10), (void *)7};
    known += cs_host_stack_intern(pcs, 2) != 0;
  }
  assert_true(known > KEPT - 100 && known < KEPT); /* the others are unknown: the table does not grow without bound */
}

static __attribute__((noinline)) cs_u32 capture(void) {
  cs_u32 number = cs_host_stack_here();
  __asm__ volatile("");
  return number;
}

static void capture_sees_the_caller(void **state) {
  (void)state;
  cs_u32 numbers[2];
  for (volatile int i = 0; i < 2; i++)
    numbers[i] = capture();
  assert_int_equal(numbers[0], numbers[1]);
  void *const *pcs;
  size_t count = cs_host_stack_get(numbers[0], &pcs);
  int found = 0;
  for (size_t i = 0; i < count; i++)
    found |= (char *)pcs[i] > (char *)capture && (char *)pcs[i] < (char *)capture + 256;
  assert_true(found);
}

enum { RECORDS = 4 };
static struct {
  struct cs_ring ring;
  struct cs_record records[RECORDS];
  struct cs_record after; /* of other memory */
} device;

static void write_record(cs_u32 site, int ready) {
  cs_u32 index = device.ring.head++;
  device.ring.errors++;
  if (index >= device.ring.capacity)
    return;
  device.records[index].site = site;
  device.records[index].ready = (cs_u32)ready;
}

static void ring_is_read_in_order(void **state) {
  (void)state;
  cs_u32 drained = 0;
  memset(&device, 0, sizeof device);
  device.ring.capacity = RECORDS;
  assert_null(cs_host_ring_next(&device.ring, RECORDS, &drained, 0));
  write_record(5, 1);
  write_record(6, 0);
  write_record(7, 1);
  assert_int_equal(cs_host_ring_next(&device.ring, RECORDS, &drained, 0)->site, 5);
  assert_null(cs_host_ring_next(&device.ring, RECORDS, &drained, 0)); /* waits for the unfinished record */
  device.records[1].ready = 1;
  assert_int_equal(cs_host_ring_next(&device.ring, RECORDS, &drained, 0)->site, 6);
  assert_int_equal(cs_host_ring_next(&device.ring, RECORDS, &drained, 0)->site, 7);
  assert_null(cs_host_ring_next(&device.ring, RECORDS, &drained, 0));
}

static void ring_overflows_without_losing_count(void **state) {
  (void)state;
  cs_u32 drained = 0, read = 0;
  memset(&device, 0, sizeof device);
  device.ring.capacity = RECORDS;
  for (cs_u32 i = 0; i < 10; i++)
    write_record(i, i != 2);
  while (cs_host_ring_next(&device.ring, RECORDS, &drained, 1))
    read++;
  assert_int_equal(read, 3); /* four records, one never finished */
  assert_int_equal(drained, cs_host_ring_written(&device.ring, RECORDS));
  assert_true(cs_host_ring_errors(&device.ring) == 10);
}

/* A kernel with a bug may write to the ring's header. */
static void ring_does_not_trust_its_header(void **state) {
  (void)state;
  cs_u32 drained = 0, read = 0;
  memset(&device, 0, sizeof device);
  device.ring.capacity = device.ring.head = ~0u;
  for (int i = 0; i < RECORDS; i++)
    device.records[i].ready = 1;
  device.after.ready = 1;
  while (read < 2 * RECORDS && cs_host_ring_next(&device.ring, RECORDS, &drained, 0))
    read++;
  assert_int_equal(read, RECORDS);
  assert_int_equal(cs_host_ring_written(&device.ring, RECORDS), RECORDS);
}

static void tally_counts(void **state) {
  (void)state;
  struct cs_host_tally t;
  assert_int_equal(cs_host_tally_open(&t, 3), 0);
  const struct cs_record freed = {.site = 1, .fault = CS_FAULT_FREED}, outside = {.site = 1, .fault = CS_FAULT_OUTSIDE};
  cs_host_tally_record(&t, &freed, 1);
  cs_host_tally_record(&t, &freed, 1);
  assert_true(cs_host_tally_errors(&t, 1) == 1);
  cs_host_tally_counts(&t, (const cs_fault_counts[]){{0}, {[CS_FAULT_FREED] = 990, [CS_FAULT_OUTSIDE] = 10}, {4}});
  assert_true(cs_host_tally_errors(&t, 1) == 1000);
  assert_true(cs_host_tally_like(&t, &freed) == 990 && cs_host_tally_like(&t, &outside) == 10);
  cs_host_tally_counts(&t, (const cs_fault_counts[]){{0}, {0}, {0}});
  assert_true(cs_host_tally_errors(&t, 1) == 1000);
  struct cs_host_totals totals = {0};
  cs_host_tally_total(&t, &totals);
  assert_true(totals.sites == 2 && totals.silent == 2 && totals.hidden == 0);
  assert_int_equal(cs_host_tally_first(&t, 1, 0), 1);
  assert_int_equal(cs_host_tally_first(&t, 1, 0), 0);
  assert_int_equal(cs_host_tally_first(&t, 1, 1), 1);
  assert_int_equal(cs_host_tally_first(&t, 1, 13), 1);
  cs_host_tally_hide(&t, 2);
  totals = (struct cs_host_totals){0};
  cs_host_tally_total(&t, &totals);
  assert_true(totals.sites == 1 && totals.silent == 0 && totals.hidden == 4);
  cs_host_tally_ignore(&t, &freed);
  totals = (struct cs_host_totals){0};
  cs_host_tally_total(&t, &totals);
  assert_true(totals.sites == 1 && totals.silent == 0 && totals.hidden == 4 + 990);
  cs_host_tally_ignore(&t, &outside);
  totals = (struct cs_host_totals){0};
  cs_host_tally_total(&t, &totals);
  assert_true(totals.sites == 0 && totals.silent == 0 && totals.hidden == 4 + 1000);
  const struct cs_record lost = {.site = 99}; /* a record that names no site of the module */
  cs_host_tally_record(&t, &lost, 1);
  cs_host_tally_ignore(&t, &lost);
  assert_true(cs_host_tally_like(&t, &lost) == 1);
  assert_int_equal(cs_host_tally_first(&t, 99, 0), 1);
  cs_host_tally_close(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(history_keeps_the_last),
      cmocka_unit_test(history_gives_the_newest),
      cmocka_unit_test(history_of_colliding_windows),
      cmocka_unit_test(history_survives_many_frees),
      cmocka_unit_test(same_stack_same_number),
      cmocka_unit_test(capture_sees_the_caller),
      cmocka_unit_test(launches_leave_room),
      cmocka_unit_test(many_stacks),
      cmocka_unit_test(ring_is_read_in_order),
      cmocka_unit_test(ring_overflows_without_losing_count),
      cmocka_unit_test(ring_does_not_trust_its_header),
      cmocka_unit_test(tally_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
