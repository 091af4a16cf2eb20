/* asm_names_test.c: which names in inline PTX get a second %, and that everything else stays. */
#include "cli/cc/asm_names.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* At the first % of the text. */
static void becomes(const char *text, const char *expected) {
  char *escaped = cs_cli_asm_names_escape(text, strcspn(text, "%"));
  assert_non_null(escaped);
  assert_string_equal(escaped, expected);
  free(escaped);
}

static void stays(const char *text) {
  assert_null(cs_cli_asm_names_escape(text, strcspn(text, "%")));
}

static void escapes_names(void **state) {
  (void)state;
  becomes("asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));", "asm(\"mov.u32 %0, %%laneid;\" : \"=r\"(x));");
  becomes(
      "__asm__ volatile (\"mov.u64 %0, %globaltimer;\"\n  \"mov.u32 %1, %%smid;\" : \"=l\"(t), \"=r\"(s) :: \"m\");",
      "__asm__ volatile (\"mov.u64 %0, %%globaltimer;\"\n  \"mov.u32 %1, %%smid;\" : \"=l\"(t), \"=r\"(s) :: \"m\");");
  becomes(
      "f(\"asm(\"); /* asm( */ asm(\"{.reg .u32 %a_1; mov.u32 %a_1, %tid.x; add.u32 %0, %1, %a_1;}\" : \"=r\"(x) : "
      "\"r\"(y));",
      "f(\"asm(\"); /* asm( */ asm(\"{.reg .u32 %%a_1; mov.u32 %%a_1, %%tid.x; add.u32 %0, %1, %%a_1;}\" : \"=r\"(x) : "
      "\"r\"(y));");
}

static void leaves_the_rest(void **state) {
  (void)state;
  stays("printf(\"%laneid\");");
  stays("asm(\"mov.u32 %0, %1;\" : \"=r\"(x) : \"r\"(y));");
  stays("asm(\"mov.u32 x, %%laneid;\" : : \"r\"(y));");
  stays("printf(\"%d\", 1); asm(\"mov.u32 %0, %laneid;\" : \"=r\"(x));");
  stays("asm(\"%laneid");
  stays("asm volatile \"%laneid\"");
  stays("plasm(\"%laneid\" :);");
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(escapes_names), cmocka_unit_test(leaves_the_rest)};
  return cmocka_run_group_tests_name("asm_names", tests, NULL, NULL);
}
