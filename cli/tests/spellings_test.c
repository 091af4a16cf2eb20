/* spellings_test.c: what is spelled as clang accepts it, and that everything else stays. */
#include "cli/cc/spellings.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef char *rewrite(const char *text, size_t at);

/* At the first character of `from`. */
static void becomes(rewrite *rewrite, const char *text, const char *from, const char *expected) {
  char *made = rewrite(text, (size_t)(strstr(text, from) - text));
  assert_non_null(made);
  assert_string_equal(made, expected);
  free(made);
}

static void stays(rewrite *rewrite, const char *text, const char *from) {
  assert_null(rewrite(text, (size_t)(strstr(text, from) - text)));
}

static void adds_template(void **state) {
  (void)state;
  becomes(cs_cli_spellings_template, "using X = typename A<T>::rebind<int>;", "rebind",
          "using X = typename A<T>::template rebind<int>;");
  stays(cs_cli_spellings_template, "A<T>::~B<int>", "~");
}

static void adds_both_sides(void **state) {
  (void)state;
  becomes(cs_cli_spellings_both, "template <> __device__ float f(int i);", "f(",
          "template <> __device__ float __host__ __device__ f(int i);");
  stays(cs_cli_spellings_both, "template <> float __host__ __device__ f(int i);", "f(");
  stays(cs_cli_spellings_both, "template <> bool ~", "~");
}

static void uses_the_operator(void **state) {
  (void)state;
  becomes(cs_cli_spellings_pragma, "#ifdef A\n  # define UNROLL #pragma unroll\n#endif\n", "#pragma",
          "#ifdef A\n  # define UNROLL _Pragma(\"unroll\")\n#endif\n");
  becomes(cs_cli_spellings_pragma, "#define UNROLL(n) # pragma unroll n\r\n", "# pragma",
          "#define UNROLL(n) _Pragma(\"unroll n\")\r\n");
  stays(cs_cli_spellings_pragma, "#pragma unroll\n", "#pragma");
  stays(cs_cli_spellings_pragma, "x = 1; #pragma unroll\n", "#pragma");
  stays(cs_cli_spellings_pragma, "#define TEXT(x) #x\n", "#x");
  stays(cs_cli_spellings_pragma, "#define A #pragma message(\"x\")\n", "#pragma");
  stays(cs_cli_spellings_pragma, "#define A #pragma unroll\\\n  4\n", "#pragma");
  stays(cs_cli_spellings_pragma, "#define A #pragmatic\n", "#prag");
  stays(cs_cli_spellings_pragma, "k<<<1, {2, 2}>>>();", "{");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(adds_template), cmocka_unit_test(adds_both_sides),
                                     cmocka_unit_test(uses_the_operator)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
