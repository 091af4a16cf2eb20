/* test_layout.c: the pointer layout's arithmetic. */
#include "cusafe/layout.h"
#include "host/tests/test.h"

static cs_u64 window_at(cs_u32 tag, cs_u64 slot) {
  return ((cs_u64)tag << CS_TAG_SHIFT) + (slot << cs_tag_log2(tag));
}

static void tags_and_windows(void **state) {
  (void)state;
  for (cs_u32 tag = CS_TAG_MIN; tag <= CS_TAG_MAX; tag++) {
    cs_u64 last = (1ull << (CS_TAG_SHIFT - cs_tag_log2(tag))) - 1;
    cs_u64 p = window_at(tag, last) + cs_tag_window(tag) - 1;
    assert_true(cs_is_tagged(p));
    assert_int_equal(cs_tag_of(p), tag);
    assert_true(cs_window_base(p) == window_at(tag, last));
  }
  assert_false(cs_is_tagged(0x1000));
  assert_false(cs_is_tagged(0x555555554000));
  assert_false(cs_is_tagged(0x7f0000000000));
  assert_false(cs_is_tagged(CS_TABLE_BASE));
}

static void sizes_fit_their_windows(void **state) {
  (void)state;
  for (cs_u32 placement = CS_PLACEMENT_TABLE; placement <= CS_PLACEMENT_WINDOW; placement++)
    for (cs_u32 log2 = 0; log2 < 41; log2++)
      for (cs_i64 delta = -1; delta <= 1; delta++) {
        cs_u64 size = (1ull << log2) + (cs_u64)delta;
        cs_u32 tag = cs_tag_for_size(size, placement);
        if (!tag)
          continue;
        assert_true(tag >= CS_HEAP_TAG_MIN && tag <= CS_TAG_MAX);
        assert_true(cs_buffer_offset(tag, placement) + size < cs_tag_window(tag));
        assert_true(cs_buffer_offset(tag, placement) % 256 == 0);
      }
  assert_int_equal(cs_tag_for_size(255, CS_PLACEMENT_TABLE), 5);
  assert_int_equal(cs_tag_for_size(256, CS_PLACEMENT_TABLE), 6);
  assert_int_equal(cs_tag_for_size(255, CS_PLACEMENT_WINDOW), 6);
  assert_int_equal(cs_tag_for_size(1ull << 41, CS_PLACEMENT_TABLE), 0);
}

static void words_are_in_the_table(void **state) {
  (void)state;
  for (cs_u32 tag = CS_TAG_MIN; tag <= CS_TAG_MAX; tag++) {
    cs_u64 row = CS_TABLE_BASE + tag * CS_TABLE_ROW_BYTES;
    for (cs_u64 slot = 0; slot < 1ull << (CS_TAG_SHIFT - cs_tag_log2(tag)); slot = slot * 3 + 1) {
      cs_u64 word = cs_meta_address(window_at(tag, slot), CS_PLACEMENT_TABLE);
      assert_true(word >= row && word + 8 <= row + CS_TABLE_ROW_BYTES);
      assert_true(word % 8 == 0);
    }
  }
}

static void words_of_neighbours_differ(void **state) {
  (void)state;
  for (cs_u32 tag = CS_TAG_MIN; tag < CS_TAG_MAX; tag++) {
    cs_u64 a = window_at(tag, 0), b = window_at(tag, 1);
    assert_true(cs_meta_address(a, CS_PLACEMENT_TABLE) + 8 == cs_meta_address(b, CS_PLACEMENT_TABLE));
    assert_true(cs_meta_address(a, CS_PLACEMENT_WINDOW) == a);
  }
  cs_u64 far = window_at(5, 7 + (1ull << CS_TABLE_INDEX_BITS));
  assert_true(cs_meta_address(far, CS_PLACEMENT_TABLE) == cs_meta_address(window_at(5, 7), CS_PLACEMENT_TABLE));
  assert_true(cs_meta_size(window_at(5, 7), cs_meta_word(far, 100)) == 0);
  assert_true(cs_meta_size(far, cs_meta_word(far, 100)) == 100);
  assert_true(cs_meta_size(far, 0) == 0);
}

static void words_hold_size_and_key(void **state) {
  (void)state;
  for (cs_u32 tag = CS_TAG_MIN; tag <= CS_TAG_MAX; tag++) {
    cs_u64 p = window_at(tag, (1ull << (CS_TAG_SHIFT - cs_tag_log2(tag))) - 1), size = cs_tag_window(tag) - 1;
    assert_true(cs_meta_size(p, cs_meta_word(p, size)) == size);
  }
}

static void strays_belong_to_near_buffers(void **state) {
  (void)state;
  assert_true(cs_distance(1000, 1000, 50) == 0 && cs_distance(1049, 1000, 50) == 0);
  assert_true(cs_distance(1050, 1000, 50) == 0 && cs_distance(1051, 1000, 50) == 1 && cs_distance(999, 1000, 50) == 1);
  assert_true(cs_is_in_reach(100000 - CS_STRAY_REACH, 100000, 50) &&
              !cs_is_in_reach(99999 - CS_STRAY_REACH, 100000, 50));
  assert_true(cs_is_in_reach(92000, 100000, 8000) && !cs_is_in_reach(91999, 100000, 8000));
  assert_true(cs_is_in_reach(116000, 100000, 8000) && !cs_is_in_reach(116001, 100000, 8000));
}

static void marked_pointers_return(void **state) {
  (void)state;
  static const cs_i64 distances[] = {1, -1, 7, -7, CS_DISTANCE_MAX, -CS_DISTANCE_MAX};
  for (cs_u32 tag = CS_HEAP_TAG_MIN; tag <= 20; tag++)
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
      cs_u64 root = window_at(tag, 40000) + 3;
      cs_u64 p = root + (cs_u64)distances[i] * cs_tag_window(tag);
      cs_u64 marked = cs_mark(p, root);
      assert_true(cs_is_marked(marked) && !cs_is_tagged(marked));
      assert_true(cs_strip(marked) == p);
      assert_true(cs_window_base(cs_marked_root(marked)) == cs_window_base(root));
    }
}

static void marks_inside_and_far_away(void **state) {
  (void)state;
  cs_u64 root = window_at(10, 100);
  assert_true(cs_mark(root + cs_tag_window(10) - 1, root) == root + cs_tag_window(10) - 1);
  cs_u64 lost = cs_mark(root + (CS_DISTANCE_MAX + 1) * cs_tag_window(10), root);
  assert_true(cs_is_marked(lost) && cs_marked_root(lost) == 0);
  assert_true(cs_marked_root(cs_mark(window_at(11, 0), root)) == 0);
  assert_true(cs_strip(root) == root);
}

static void units_have_a_bit_each(void **state) {
  (void)state;
  cs_u64 next = cs_unit_bit(window_at(CS_HEAP_TAG_MIN, 0));
  assert_true(next > 0);
  for (cs_u32 tag = CS_HEAP_TAG_MIN; tag <= CS_TAG_MAX; tag++) {
    cs_u64 first = (cs_u64)tag << CS_TAG_SHIFT, last = first + (1ull << CS_TAG_SHIFT) - 1;
    assert_true(cs_unit_bit(first) == next);
    assert_true(cs_unit_bit(first + (1ull << cs_unit_log2(tag)) - 1) == next);
    next = cs_unit_bit(last) + 1;
    assert_true(next - cs_unit_bit(first) == 1ull << (CS_TAG_SHIFT - cs_unit_log2(tag)));
  }
  assert_true(cs_unit_word(next - 1) - CS_TABLE_BASE < 1ull << CS_GRANULE_LOG2);
  assert_true(cs_unit_bit(0) == 0 && cs_unit_bit(CS_TABLE_BASE) == 0 && cs_unit_bit(window_at(CS_TAG_MIN, 3)) == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tags_and_windows),
      cmocka_unit_test(sizes_fit_their_windows),
      cmocka_unit_test(words_are_in_the_table),
      cmocka_unit_test(words_of_neighbours_differ),
      cmocka_unit_test(words_hold_size_and_key),
      cmocka_unit_test(marked_pointers_return),
      cmocka_unit_test(strays_belong_to_near_buffers),
      cmocka_unit_test(marks_inside_and_far_away),
      cmocka_unit_test(units_have_a_bit_each),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
