/* containers_test.c: arrays and maps keep what they were given while they grow. */
#include "ir/map.h"
#include "ir/memory.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MANY = 1000 };

static void arrays_keep_their_items(void **state) {
  (void)state;
  int *items = NULL;
  unsigned count = 0;
  for (int i = 0; i < MANY; i++)
    cs_ir_push(items, count, 3 * i);
  assert_int_equal(count, MANY);
  for (int i = 0; i < MANY; i++)
    assert_int_equal(items[i], 3 * i);
  count = 5; /* removed items are overwritten */
  for (int i = 0; i < MANY; i++)
    cs_ir_push(items, count, i);
  assert_int_equal(items[4], 12);
  assert_int_equal(items[5], 0);
  assert_int_equal(items[MANY + 4], MANY - 1);
  free(items);
}

static void memory_is_zeroed(void **state) {
  (void)state;
  unsigned char *none = cs_ir_allocate(0, 8), *some = cs_ir_allocate(16, 1);
  assert_non_null(none);
  for (int i = 0; i < 16; i++)
    assert_int_equal(some[i], 0);
  char *copy = cs_ir_copy_text("global.x", 6);
  assert_string_equal(copy, "global");
  free(copy);
  free(some);
  free(none);
}

static void addresses(void **state) {
  (void)state;
  static char keys[MANY];
  struct cs_ir_map map = {0};
  assert_null(cs_ir_map_get(&map, keys));
  for (size_t i = 0; i < MANY; i += 2)
    cs_ir_map_set(&map, &keys[i], (void *)(i + 1));
  cs_ir_map_set(&map, &keys[0], (void *)(uintptr_t)7);
  assert_int_equal(map.count, MANY / 2);
  assert_true(3 * map.capacity >= 4 * map.count);
  assert_int_equal((uintptr_t)cs_ir_map_get(&map, &keys[0]), 7);
  for (size_t i = 1; i < MANY; i++)
    assert_int_equal((uintptr_t)cs_ir_map_get(&map, &keys[i]), i % 2 ? 0 : i + 1);
  cs_ir_map_free(&map);
  assert_null(cs_ir_map_get(&map, &keys[2]));
  cs_ir_map_set(&map, &keys[1], keys);
  assert_ptr_equal(cs_ir_map_get(&map, &keys[1]), keys);
  cs_ir_map_free(&map);
}

static void names_are_compared_as_text(void **state) {
  (void)state;
  static char names[MANY][8];
  struct cs_ir_map map = {0};
  for (size_t i = 0; i < MANY; i++) {
    snprintf(names[i], sizeof names[i], "%%r%zu", i);
    cs_ir_map_set_name(&map, names[i], names[i]);
  }
  for (size_t i = 0; i < MANY; i++) {
    char other[8];
    memcpy(other, names[i], sizeof other);
    assert_ptr_equal(cs_ir_map_get_name(&map, other), names[i]);
  }
  assert_null(cs_ir_map_get_name(&map, "%r"));
  cs_ir_map_free(&map);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arrays_keep_their_items), cmocka_unit_test(memory_is_zeroed),
                                     cmocka_unit_test(addresses), cmocka_unit_test(names_are_compared_as_text)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
