/* test_ranges.c: the ordered set of ranges, small and with a million entries. */
#include "cpu/cuda/base/ranges.h"
#include "cpu/cuda/tests/support.h"
#include <stdlib.h>

static void finds_the_containing_range(void **state) {
  (void)state;
  struct cs_cpu_ranges set = {0};
  struct cs_cpu_range a = {.start = 100, .size = 10}, b = {.start = 110, .size = 5}, c = {.start = 50, .size = 1};
  assert_int_equal(cs_cpu_ranges_insert(&set, &a), 0);
  assert_int_equal(cs_cpu_ranges_insert(&set, &b), 0);
  assert_int_equal(cs_cpu_ranges_insert(&set, &c), 0);
  assert_ptr_equal(cs_cpu_ranges_find(&set, 100), &a);
  assert_ptr_equal(cs_cpu_ranges_find(&set, 109), &a);
  assert_ptr_equal(cs_cpu_ranges_find(&set, 110), &b);
  assert_null(cs_cpu_ranges_find(&set, 115));
  assert_null(cs_cpu_ranges_find(&set, 49));
  assert_ptr_equal(cs_cpu_ranges_ceiling(&set, 51), &a);
  assert_null(cs_cpu_ranges_ceiling(&set, 111));
  cs_cpu_ranges_remove(&set, &a);
  assert_null(cs_cpu_ranges_find(&set, 105));
  assert_ptr_equal(cs_cpu_ranges_find(&set, 112), &b);
  assert_int_equal(set.count, 2);
}

static void refuses_overlap(void **state) {
  (void)state;
  struct cs_cpu_ranges set = {0};
  struct cs_cpu_range a = {.start = 100, .size = 10}, over = {.start = 109, .size = 1},
                      around = {.start = 50, .size = 100};
  struct cs_cpu_range empty = {.start = 5, .size = 0}, wraps = {.start = ~0ull, .size = 2};
  assert_int_equal(cs_cpu_ranges_insert(&set, &a), 0);
  assert_int_equal(cs_cpu_ranges_insert(&set, &over), -1);
  assert_int_equal(cs_cpu_ranges_insert(&set, &around), -1);
  assert_int_equal(cs_cpu_ranges_insert(&set, &empty), -1);
  assert_int_equal(cs_cpu_ranges_insert(&set, &wraps), -1);
  assert_true(cs_cpu_ranges_overlap(&set, 0, 101));
  assert_false(cs_cpu_ranges_overlap(&set, 0, 100));
  assert_false(cs_cpu_ranges_overlap(&set, 110, 100));
}

#define MILLION 1000000u

static void holds_a_million_ranges(void **state) {
  (void)state;
  struct cs_cpu_ranges set = {0};
  unsigned wrong = 0;
  struct cs_cpu_range *nodes = calloc(MILLION, sizeof *nodes);
  assert_non_null(nodes);
  /* In a scrambled order: 7 has no common factor with a million. */
  for (unsigned i = 0; i < MILLION; i++) {
    unsigned slot = (unsigned)((i * 7ull * 31337) % MILLION);
    nodes[slot].start = 512ull * slot;
    nodes[slot].size = 500;
    wrong += cs_cpu_ranges_insert(&set, &nodes[slot]) != 0;
  }
  assert_int_equal(set.count, MILLION);
  for (unsigned i = 0; i < MILLION; i += 7)
    wrong += cs_cpu_ranges_find(&set, 512ull * i + 499) != &nodes[i] || cs_cpu_ranges_find(&set, 512ull * i + 500);
  for (unsigned i = 0; i < MILLION; i += 2)
    cs_cpu_ranges_remove(&set, &nodes[i]);
  assert_int_equal(set.count, MILLION / 2);
  for (unsigned i = 0; i < MILLION; i += 7)
    wrong += cs_cpu_ranges_find(&set, 512ull * i) != (i % 2 ? &nodes[i] : NULL);
  assert_int_equal(wrong, 0);
  free(nodes);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(finds_the_containing_range), cmocka_unit_test(refuses_overlap),
                                     cmocka_unit_test(holds_a_million_ranges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
