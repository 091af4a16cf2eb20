/* launches_test.c: which text is a launch with blanks in its brackets, and that no other character moves. */
#include "cli/cc/launches.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *given, const char *joined, int count) {
  char text[512];
  snprintf(text, sizeof text, "%s", given);
  int found = cs_cli_launches_join(text);
  assert_string_equal(text, joined);
  assert_int_equal(found, count);
  assert_int_equal(strlen(given), strlen(text));
}

static void unchanged(const char *text) {
  expect(text, text, 0);
}

static void joins(void **state) {
  (void)state;
  expect("k << <1, 64 >> >(p);", "k <<< 1, 64 >>> (p);", 1);
  expect("k <<<1, 64 >> > (p);", "k <<<1, 64 >>>  (p);", 1);
  expect("k < < <1, 64>>>(p);", "k <<<  1, 64>>>(p);", 1);
  expect("t<3> << <dim3(g, h), b[i >> 2], n >> 1>> >\n(p, q >> 1);",
         "t<3> <<< dim3(g, h), b[i >> 2], n >> 1>>> \n(p, q >> 1);", 1);
  expect("a << <1, 1>> >(); b<<<1, 1>>>(); c << <\n 1, f(\")\"), 0> >>(x);",
         "a <<< 1, 1>>> (); b<<<1, 1>>>(); c <<< \n 1, f(\")\"), 0>>> (x);", 2);
  expect("k << <f<A<B>> >(1), 2 >> >(p);", "k <<< f<A<B>> >(1), 2 >>> (p);", 1);
}

static void leaves_the_rest(void **state) {
  (void)state;
  unchanged("k<<<1, 64>>>(p);");
  unchanged("friend std::ostream &operator<< <T>(std::ostream &, const X<Y<Z<T>> > &(*f)(int));");
  unchanged("std::vector<std::vector<std::vector<int>> > v(1);");
  unchanged("// k << <1, 64 >> >(p);\n/* k << <1, 64 >> >(p); */ int x;");
  unchanged("puts(\"k << <1, 64 >> >(p);\"); s = R\"x(k << <1, 1>> >(p);)x\";");
  unchanged("int n = 1'000'000; x = 1 << 2 >> 1; if (a < b && c > d) f();");
  unchanged("k << <1, 64; f(x >> >(p));");
  unchanged("k << <");
  unchanged("\"open");
  unchanged("R\"open(");
  unchanged("/* open");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(joins), cmocka_unit_test(leaves_the_rest)};
  return cmocka_run_group_tests_name("launches", tests, NULL, NULL);
}
