/* test_carve.c: sub-allocations of the tagged heap on fake virtual memory. */
#include "cusafe/divided.h"
#include "host/heap/divide.h"
#include "host/heap/reclaim.h"
#include "host/tests/fake_vmm.h"
#include "host/tests/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIB (1ull << 20)

static struct cs_host_heap *heap;

static int setup(void **state) {
  fake_reset();
  heap = cs_host_heap_new(&fake_vmm, *state ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE);
  return heap == NULL;
}

static cs_u64 alloc(cs_u64 size) {
  cs_u64 p = 0;
  assert_int_equal(cs_host_heap_alloc(heap, 0, size, CS_HOST_BY_ALLOC, 11, &p), 0);
  return p;
}

static void release(cs_u64 p) {
  struct cs_host_heap_buffer claimed;
  assert_int_equal(cs_host_heap_claim_free(heap, p, 0, &claimed), CS_HOST_FREE_OK);
  cs_host_heap_free(heap, claimed.start, 22);
  cs_host_heap_reclaim(heap);
}

static cs_u64 carve(cs_u64 address, cs_u64 size) {
  cs_u64 p = 0;
  assert_int_equal(cs_host_heap_carve(heap, address, size, 33, &p), 0);
  return p;
}

static void give_back(cs_u64 p, cs_u64 expected) {
  cs_u64 origin;
  assert_int_equal(cs_host_heap_claim_carved(heap, p, &origin), CS_HOST_FREE_OK);
  assert_true(origin == expected);
  cs_host_heap_free(heap, p, 44);
}

static cs_u64 word_of(cs_u64 p) {
  cs_host_heap_flush(heap);
  return *(const cs_u64 *)cs_meta_address(p, CS_PLACEMENT_TABLE);
}

/* What the device would compute for this pointer. */
static void has_bounds(cs_u64 p, cs_u64 start, cs_u64 size) {
  cs_u64 word = word_of(p), unit = start % CS_START_UNIT;
  assert_true(cs_meta_size(p, word) == size + unit);
  assert_true(cs_meta_start(p, CS_PLACEMENT_TABLE, word) == start - unit);
}

static void has_none(cs_u64 p) {
  assert_true(cs_meta_size(p, word_of(p)) == 0);
}

static void bounds_are_exact(void **state) {
  (void)state;
  static const cs_u64 starts[] = {0, 512, 1536, MIB - 512, MIB, 2 * MIB - 512, 2 * MIB - 16, 5 * MIB + 16, 7},
                      sizes[] = {1, 100, 512, 513, 1024, 4096, 100000, 3 * MIB, 6 * MIB};
  cs_u64 whole = alloc(20 * MIB);
  for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
      cs_u64 p = carve(whole + starts[i], sizes[k]);
      assert_true(p != whole + starts[i] && cs_is_tagged(p));
      assert_true(p % 512 == (whole + starts[i]) % 512);
      has_bounds(p, p, sizes[k]);
      has_bounds(p + sizes[k] / 2, p, sizes[k]);
      has_bounds(p + sizes[k], p, sizes[k]); /* one past the end */
      memset((void *)p, (int)(i * 16 + k), sizes[k]);
      assert_int_equal(*(unsigned char *)(whole + starts[i] + sizes[k] - 1), i * 16 + k); /* the same bytes */
      if ((i + k) % 3 == 0)
        give_back(p, whole + starts[i]);
    }
  has_bounds(whole + 777, whole, 20 * MIB);
}

/* All blocks of a pool are live at once, and each has its own window. */
static void neighbours_have_their_own_bounds(void **state) {
  (void)state;
  enum { BLOCK = 512, COUNT = 4096 };
  static cs_u64 p[COUNT];
  cs_u64 whole = alloc(COUNT * BLOCK);
  for (cs_u64 i = 0; i < COUNT; i++)
    p[i] = carve(whole + i * BLOCK, BLOCK - i % 5);
  for (cs_u64 i = 0; i < COUNT; i++) {
    struct cs_host_heap_buffer b;
    has_bounds(p[i] + 300, p[i], BLOCK - i % 5);
    assert_true(cs_host_heap_find(heap, p[i] - 1, &b) || b.start != p[i - (i > 0)] || i == 0);
    assert_int_equal(cs_host_heap_find(heap, p[i], &b), 0);
    assert_true(b.start == p[i] && b.origin == whole + i * BLOCK && b.allocated_by == 33);
    assert_int_equal(cs_host_heap_find_beside(heap, p[i] + BLOCK, &b), i + 1 < COUNT ? 0 : -1);
    if (i + 1 < COUNT)
      assert_true(b.start == p[i] + BLOCK && b.origin == whole + (i + 1) * BLOCK);
  }
}

static void addresses_return_late(void **state) {
  (void)state;
  cs_u64 whole = alloc(2 * MIB), seen[8];
  for (int i = 0; i < 8; i++) {
    seen[i] = carve(whole + 1024, 1000);
    for (int k = 0; k < i; k++) {
      assert_true(seen[k] != seen[i]);
      has_none(seen[k]);
    }
    give_back(seen[i], whole + 1024);
  }
  cs_u64 again = carve(whole + 1024, 1000);
  assert_true(again == seen[0]);
  struct cs_host_heap_buffer b;
  assert_int_equal(cs_host_heap_find(heap, seen[3], &b), 0);
  assert_true(b.freed && b.size == 1000 && b.start == seen[3] && b.freed_by == 44);
}

static void wrong_pointers_are_refused(void **state) {
  (void)state;
  cs_u64 whole = alloc(2 * MIB), p = carve(whole, 512), origin, unused;
  assert_int_equal(cs_host_heap_claim_carved(heap, p + 16, &origin), CS_HOST_FREE_BAD);
  assert_int_equal(cs_host_heap_claim_carved(heap, whole, &origin), CS_HOST_FREE_FOREIGN);
  give_back(p, whole);
  assert_int_equal(cs_host_heap_claim_carved(heap, p, &origin), CS_HOST_FREE_BAD);
  assert_int_equal(cs_host_heap_carve(heap, whole + MIB, MIB + 1, 33, &unused), CS_HOST_CARVE_OUTSIDE);
  assert_int_equal(cs_host_heap_carve(heap, 4096, 8, 33, &unused), CS_HOST_CARVE_FOREIGN);
  release(whole);
  assert_int_equal(cs_host_heap_carve(heap, whole, 512, 33, &unused), CS_HOST_CARVE_OUTSIDE);
}

static void they_end_with_their_buffer(void **state) {
  (void)state;
  static const cs_u64 sizes[] = {5000, 64 << 10, 2 * MIB, 20 * MIB};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    cs_u64 whole = alloc(sizes[i]), other = alloc(sizes[i]), kept = carve(other + 512, 512), p[8], origin;
    for (cs_u64 k = 0; k < 8; k++)
      p[k] = carve(whole + k * 512, 512);
    release(i % 2 ? whole : p[0]); /* the pointer to the first byte frees the buffer, as without CuSafe */
    for (int k = 0; k < 8; k++) {
      has_none(p[k]);
      assert_int_equal(cs_host_heap_claim_carved(heap, p[k], &origin), CS_HOST_FREE_BAD);
    }
    has_bounds(kept, kept, 512);
    release(other);
  }
  struct cs_host_heap_stats stats;
  cs_host_heap_stats(heap, &stats);
  assert_int_equal(stats.live, 0);
}

static void parts_of_parts(void **state) {
  (void)state;
  cs_u64 whole = alloc(2 * MIB), outer = carve(whole + 4096, 8192), inner = carve(outer + 512, 1024), unused;
  has_bounds(inner, inner, 1024);
  assert_int_equal(cs_host_heap_carve(heap, outer + 8000, 512, 33, &unused), CS_HOST_CARVE_OUTSIDE);
  *(int *)inner = 5;
  assert_int_equal(*(int *)(whole + 4096 + 512), 5);
  give_back(inner, outer + 512);
  give_back(outer, whole + 4096);
}

/* Sub-allocations without bytes have their own addresses, so their ends are not those of the ones around them. */
static void parts_without_bytes(void **state) {
  (void)state;
  struct cs_host_heap_buffer b;
  cs_u64 whole = alloc(2 * MIB), outer = carve(whole + 4096, 8192), empty = carve(outer, 0), again = carve(outer, 0);
  cs_u64 unused, origin;
  assert_true(empty != outer && again != outer && again != empty);
  assert_int_equal(cs_host_heap_find(heap, empty, &b), 0);
  assert_true(b.start == empty && b.is_empty && b.root == whole + 4096);
  assert_int_equal(cs_host_heap_carve(heap, empty, 1, 33, &unused), CS_HOST_CARVE_OUTSIDE);
  assert_int_equal(cs_host_heap_carve(heap, outer + 8192, 0, 33, &unused), CS_HOST_HEAP_UNTAGGED);
  give_back(again, outer);
  give_back(outer, whole + 4096); /* `empty` is never given back */
  assert_int_equal(cs_host_heap_claim_carved(heap, outer, &origin), CS_HOST_FREE_BAD);
  release(whole);
}

/* ---- divided buffers ---- */

/* What the device would read. */
static int is_granted(cs_u64 p) {
  cs_host_heap_flush(heap);
  if (*(const cs_u64 *)cs_meta_address(p, CS_PLACEMENT_TABLE) != cs_divided_word(p))
    return -1;
  return (int)(*(const cs_u64 *)cs_shadow_word(p) >> p % 64 & 1);
}

static void poison_is_exact(void **state) {
  (void)state;
  static const cs_u64 sizes[] = {300, 5000, 2 * MIB, 40 * MIB};
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    cs_u64 p = alloc(sizes[i]), first = p + sizes[i] / 3, bytes = sizes[i] / 5;
    assert_int_equal(is_granted(p), -1);
    assert_int_equal(cs_host_heap_poison(heap, first, bytes, 44), 0);
    assert_int_equal(is_granted(p), 1);
    assert_int_equal(is_granted(first - 1), 1);
    assert_int_equal(is_granted(first), 0);
    assert_int_equal(is_granted(first + bytes - 1), 0);
    assert_int_equal(is_granted(first + bytes), 1);
    assert_int_equal(is_granted(p + sizes[i] - 1), 1);
    assert_int_equal(is_granted(p + sizes[i]), 0); /* past the end */
    assert_false(cs_host_heap_grants(heap, p, sizes[i]));
    assert_true(cs_host_heap_grants(heap, p, first - p));
    assert_int_equal(cs_host_heap_unpoison(heap, first, bytes), 0);
    assert_int_equal(is_granted(first), 1);
    assert_true(cs_host_heap_grants(heap, p, sizes[i]));
    assert_int_equal(cs_host_heap_poison(heap, p + sizes[i] - 1, 2, 44), CS_HOST_CARVE_OUTSIDE);
    release(p);
  }
}

/* A window that serves again has the bounds of its new owner, also if both are poisoned in part. */
static void the_shadow_ends_with_its_owner(void **state) {
  (void)state;
  cs_u64 whole = alloc(2 * MIB), first = carve(whole, 1000), p = 0;
  assert_int_equal(cs_host_heap_poison(heap, first, 8, 44), 0);
  assert_int_equal(is_granted(first + 900), 1);
  give_back(first, whole);
  for (int i = 0; i < 100 && p != first; i++) {
    p = carve(whole, 600);
    assert_int_equal(cs_host_heap_poison(heap, p, 8, 44), 0);
    assert_true(is_granted(p + 599) == 1 && is_granted(p + 600) == 0 && is_granted(p + 900) == 0);
    give_back(p, whole);
  }
  assert_true(p == first);
  release(whole);
}

static void regions_of_a_pool(void **state) {
  (void)state;
  struct cs_host_heap_buffer b;
  cs_u64 p = alloc(2 * MIB), a = p + 512, c = p + 4096;
  assert_int_equal(cs_host_heap_hide(heap, p, 2 * MIB, 1), 0);
  assert_int_equal(is_granted(a), 0);
  assert_int_equal(cs_host_heap_region_add(heap, a, 500, 2), 0);
  assert_int_equal(cs_host_heap_region_add(heap, c, 100, 3), 0);
  assert_true(is_granted(a) == 1 && is_granted(a + 499) == 1 && is_granted(a + 500) == 0);
  assert_int_equal(cs_host_heap_find_region(heap, a + 500, 4, a, &b), 0);
  assert_true(b.start == a && b.size == 500 && !b.freed && b.allocated_by == 2);
  assert_int_equal(cs_host_heap_region_end(heap, a, 4), CS_HOST_FREE_OK);
  assert_int_equal(is_granted(a), 0);
  assert_int_equal(cs_host_heap_find_region(heap, a + 8, 4, a + 8, &b), 0);
  assert_true(b.start == a && b.freed && b.freed_by == 4);
  assert_int_equal(cs_host_heap_region_end(heap, a, 5), CS_HOST_FREE_BAD);
  assert_int_equal(cs_host_heap_region_end(heap, a + 16, 5), CS_HOST_FREE_FOREIGN);
  assert_int_equal(cs_host_heap_find_region(heap, c - 4, 4, c, &b), 0);
  assert_true(b.start == c);
  assert_int_equal(cs_host_heap_region_add(heap, a, 200, 6), 0); /* another owner */
  assert_true(is_granted(a + 199) == 1 && is_granted(a + 200) == 0);
  cs_host_heap_undivide(heap, p);
  assert_true(is_granted(p) == 1 && is_granted(p + 2 * MIB - 1) == 1);
  release(p);
}

/* More buffers, one after the other, than the shadow has memory for. */
static void shadow_is_reused(void **state) {
  (void)state;
  for (int i = 0; i < 700; i++) {
    cs_u64 p = alloc(9 * MIB);
    assert_int_equal(cs_host_heap_poison(heap, p, MIB, 44), 0);
    assert_true(is_granted(p) == 0 && is_granted(p + MIB) == 1);
    release(p);
  }
}

static double seconds(void);

/* What pools do that poison what they have not handed out: time and memory do not grow with the calls. */
static void poison_of_a_pool(void **state) {
  (void)state;
  enum { BLOCK = 1024, COUNT = 60000 };
  cs_u64 p = alloc(64 * MIB);
  assert_int_equal(cs_host_heap_poison(heap, p, 64 * MIB, 44), 0);
  double begin = seconds();
  for (cs_u64 turn = 0; turn < 2; turn++)
    for (cs_u64 i = 0; i < COUNT; i++) { /* handed out as two halves, given back as a whole */
      cs_u64 block = p + i * BLOCK;
      assert_int_equal(cs_host_heap_unpoison(heap, block, BLOCK / 2), 0);
      assert_int_equal(cs_host_heap_unpoison(heap, block + BLOCK / 2, BLOCK / 2), 0);
      assert_int_equal(cs_host_heap_poison(heap, block, BLOCK, 44), 0);
    }
  assert_true(seconds() - begin < 10);
  assert_true(is_granted(p) == 0);
  release(p);
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A million at once, in segments as PyTorch has them. */
static void a_million(void **state) {
  (void)state;
  enum { BLOCK = 512, SEGMENT = 20 << 20, PER_SEGMENT = SEGMENT / BLOCK, COUNT = 1000000 };
  cs_u64 *p = calloc(COUNT, sizeof *p), whole = 0;
  assert_non_null(p);
  double begin = seconds();
  for (cs_u64 i = 0; i < COUNT; i++) {
    if (i % PER_SEGMENT == 0)
      whole = alloc(SEGMENT);
    p[i] = carve(whole + i % PER_SEGMENT * BLOCK, 500);
  }
  double carved = seconds();
  for (cs_u64 i = 0; i < COUNT; i += 997)
    has_bounds(p[i] + 100, p[i], 500);
  double checked = seconds();
  for (cs_u64 i = 0; i < COUNT; i++) {
    cs_u64 origin;
    assert_int_equal(cs_host_heap_claim_carved(heap, p[i], &origin), CS_HOST_FREE_OK);
    cs_host_heap_free(heap, p[i], 44);
  }
  printf("a million sub-allocations: carved in %.0f ns each, given back in %.0f ns each\n",
         (carved - begin) * 1e9 / COUNT, (seconds() - checked) * 1e9 / COUNT);
  free(p);
}

static void none_with_words_in_windows(void **state) {
  (void)state;
  cs_u64 whole = alloc(2 * MIB), unused;
  assert_int_equal(cs_host_heap_carve(heap, whole, 512, 33, &unused), CS_HOST_CARVE_FOREIGN);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(bounds_are_exact, setup),
      cmocka_unit_test_setup(neighbours_have_their_own_bounds, setup),
      cmocka_unit_test_setup(addresses_return_late, setup),
      cmocka_unit_test_setup(wrong_pointers_are_refused, setup),
      cmocka_unit_test_setup(they_end_with_their_buffer, setup),
      cmocka_unit_test_setup(parts_of_parts, setup),
      cmocka_unit_test_setup(parts_without_bytes, setup),
      cmocka_unit_test_setup(poison_is_exact, setup),
      cmocka_unit_test_setup(poison_of_a_pool, setup),
      cmocka_unit_test_setup(the_shadow_ends_with_its_owner, setup),
      cmocka_unit_test_setup(regions_of_a_pool, setup),
      cmocka_unit_test_setup(shadow_is_reused, setup),
      cmocka_unit_test_setup(a_million, setup),
      cmocka_unit_test_prestate_setup_teardown(none_with_words_in_windows, setup, NULL, (void *)1),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
