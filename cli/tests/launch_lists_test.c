/* launch_lists_test.c: which braces are arguments of a launch. */
#include "cli/cc/launch_lists.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* At the last brace that opens. */
static char *name(const char *text) {
  return cs_cli_launch_lists_name(text, (size_t)(strrchr(text, '{') - text));
}

static void becomes(const char *text, const char *expected) {
  char *named = name(text);
  assert_non_null(named);
  assert_string_equal(named, expected);
  free(named);
}

static void names_lists(void **state) {
  (void)state;
  becomes("k<<<{2, 2}, 32>>>(p);", "k<<<dim3{2, 2}, 32>>>(p);");
  becomes("k<A, 3><<<dim3(n / 2), \n {32}, 0, s>>>(p);", "k<A, 3><<<dim3(n / 2), \n dim3{32}, 0, s>>>(p);");
}

static void leaves_the_rest(void **state) {
  (void)state;
  assert_null(name("k<<<dim3{2, 2}, 32>>>(p);"));
  assert_null(name("f(1, {2});"));
  assert_null(name("k<<<1, 32>>>(p, {2});"));
  assert_null(name("k<<<1, 32; f(1, {2});"));
  assert_null(name("{"));
  assert_null(cs_cli_launch_lists_name("k<<<{2}, 1>>>();", 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_lists), cmocka_unit_test(leaves_the_rest)};
  return cmocka_run_group_tests_name("launch_lists", tests, NULL, NULL);
}
