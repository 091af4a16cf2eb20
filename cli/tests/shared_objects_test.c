/* shared_objects_test.c: which declarations of shared variables are written without their constructors, and as what. */
#include "cli/cc/shared_objects.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* At the character after `@` in the text. */
static char *wrap(const char *marked) {
  char text[512];
  const char *mark = strchr(marked, '@');
  assert_non_null(mark);
  snprintf(text, sizeof text, "%.*s%s", (int)(mark - marked), marked, mark + 1);
  return cs_cli_shared_objects_wrap(text, (size_t)(mark - marked));
}

static void becomes(const char *marked, const char *expected) {
  char *wrapped = wrap(marked);
  assert_non_null(wrapped);
  assert_string_equal(wrapped, expected);
  free(wrapped);
}

static void stays(const char *marked) {
  assert_null(wrap(marked));
}

static void omits_constructors(void **state) {
  (void)state;
  becomes("f();\n  __shared__ T @x[4];\ng();",
          "f();\n  __shared__ ::cusafe_nvcc::unset< T[4] > cusafe_x; constexpr auto &x = cusafe_x.value; \ng();");
  becomes("__shared__ cuda::barrier<cuda::thread_scope_block> @bar;",
          "__shared__ ::cusafe_nvcc::unset< cuda::barrier<cuda::thread_scope_block> > cusafe_bar; "
          "constexpr auto &bar = cusafe_bar.value; ");
  becomes("{ static __shared__ alignas(16) std::pair<A, B<(1 > 2)>> @p[2][sizeof(int)]; }",
          "{ static __shared__ alignas(16) ::cusafe_nvcc::unset< std::pair<A, B<(1 > 2)>>[2][sizeof(int)] > cusafe_p; "
          "constexpr auto &p = cusafe_p.value;  }");
}

static void splits_lists(void **state) {
  (void)state;
  becomes("__shared__ T a, @b[3];",
          "__shared__ ::cusafe_nvcc::unset< T > cusafe_a; constexpr auto &a = cusafe_a.value; "
          "__shared__ ::cusafe_nvcc::unset< T[3] > cusafe_b; constexpr auto &b = cusafe_b.value; ");
}

static void keeps_lines(void **state) {
  (void)state;
  becomes("__shared__\n  typename X<T>::\n  Y @y;\nh();",
          "__shared__   ::cusafe_nvcc::unset< typename X<T>::   Y > cusafe_y; constexpr auto &y = cusafe_y.value; "
          "\n\n\nh();");
}

static void skips_comments(void **state) {
  (void)state;
  becomes("f(); // g; {\n__shared__ /*;*/ T a, // {\n @b/*,*/;",
          "f(); // g; {\n__shared__       ::cusafe_nvcc::unset< T > cusafe_a; constexpr auto &a = cusafe_a.value; "
          "__shared__       ::cusafe_nvcc::unset< T      > cusafe_b; constexpr auto &b = cusafe_b.value; \n");
  becomes("__shared__ T // a, b;\n @x;",
          "__shared__ ::cusafe_nvcc::unset< T > cusafe_x; constexpr auto &x = cusafe_x.value; \n");
}

static void lets_jumps_bypass(void **state) {
  (void)state;
  static const char wrapped[] =
      "__shared__ ::cusafe_nvcc::unset< T > cusafe_x; constexpr auto &x = cusafe_x.value; int &y = z;";
  size_t at = (size_t)(strchr(wrapped, '&') + 1 - wrapped);
  char *kept = cs_cli_shared_objects_keep(wrapped, at);
  assert_non_null(kept);
  assert_string_equal(kept, "__shared__ ::cusafe_nvcc::unset< T > cusafe_x; static constexpr auto &x = cusafe_x.value; "
                            "int &y = z;");
  assert_null(cs_cli_shared_objects_keep(kept, at + strlen("static "))); /* once */
  free(kept);
  assert_null(cs_cli_shared_objects_keep(wrapped, (size_t)(strstr(wrapped, "y =") - wrapped)));
  assert_null(cs_cli_shared_objects_keep(wrapped, 0));
}

static void leaves_the_rest(void **state) {
  (void)state;
  stays("T @x[4];");
  stays("__shared__ int a; T @x[4];");
  stays("__shared__ T @x = T();");
  stays("__shared__ T @x{};");
  stays("__shared__ T @x(1);");
  stays("__shared__ T *@x;");
  stays("__shared__ T \\\n @x;"); /* of a macro */
  stays("T __shared__ @x;");
  stays("__shared__ ::cusafe_nvcc::unset< T > @cusafe_x;");
  stays("__shared__ T @x");
  stays("__shared__ T<(@");
  stays("my__shared__ T @x;");
  assert_null(cs_cli_shared_objects_wrap("", 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(omits_constructors), cmocka_unit_test(splits_lists),
                                     cmocka_unit_test(keeps_lines),        cmocka_unit_test(skips_comments),
                                     cmocka_unit_test(lets_jumps_bypass),  cmocka_unit_test(leaves_the_rest)};
  return cmocka_run_group_tests_name("shared_objects", tests, NULL, NULL);
}
