/* parts_test.c: a kernel's part has what the kernel reaches and no more; modules that have to stay whole do. */
#include "ptx/parts.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define HEAD ".version 9.0\n.target sm_90, debug\n.address_size 64\n"
#define SHARED ".shared .align 4 .b8 tile[64];\n"
#define LITERAL ".global .align 1 .b8 $str[3] = {37, 117, 0};\n"
#define CALLED ".func called()\n{\n ld.global.u32 %r1, [count+4];\n}\n"
#define PROTOTYPE ".func called();\n"
#define CALLS ".visible .entry calls()\n{\n // } one\n { call.uni called, (); }\n mov.u64 %rd1, $str;\n}\n"
#define USES ".weak .entry uses(.param .u64 uses_0) .maxntid 32\n{\n mov.u32 %r1, tile; .pragma \"}\";\n}\n"
#define NAMES ".section .debug_str\n{\n$a:\n.b8 97 // }\n}\n"

static void parts(void **state) {
  (void)state;
  const char *text =
      HEAD ".visible .global .align 4 .b8 count[8] = {1, 2};\n" LITERAL SHARED PROTOTYPE CALLS CALLED USES
           ".section .debug_info { .b8 1 }\n" NAMES;
  struct cs_ptx_parts *p = cs_ptx_parts_open(text);
  size_t count;
  assert_non_null(p);
  const char *const *names = cs_ptx_parts_kernels(p, &count);
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "calls");
  assert_string_equal(names[1], "uses");
  char *variables = cs_ptx_parts_variables(p), *calls = cs_ptx_parts_kernel(p, "calls"),
       *uses = cs_ptx_parts_kernel(p, "uses");
  assert_string_equal(variables, HEAD ".visible .global .align 4 .b8 count[8] = {1, 2};\n" LITERAL NAMES);
  assert_string_equal(calls, HEAD ".extern .global .align 4 .b8 count[8] ;\n" LITERAL PROTOTYPE CALLS CALLED NAMES);
  assert_string_equal(uses, HEAD SHARED USES NAMES);
  assert_null(cs_ptx_parts_kernel(p, "called"));
  assert_null(cs_ptx_parts_kernel(p, "missing"));
  free(variables);
  free(calls);
  free(uses);
  cs_ptx_parts_close(p);
}

static void wholes(void **state) {
  (void)state;
  static const char *const texts[] = {
      HEAD ".func f(){}\n.global .u64 table[1] = {f};",               /* the address of a function */
      HEAD ".entry k(){ p: .callprototype _ (); call %rd1, (), p; }", /* a call by address */
      HEAD ".global .b32 a, b;",
      HEAD ".global .b8 a[] = {1};",
      HEAD ".alias a, b;",
      HEAD ".entry k(){",
      HEAD ".entry (){}",
      HEAD ".section .debug_str { .b8 1",
      HEAD ".global .b32 a",
      HEAD ".entry k(){ /* }",
      ".version 9.0 .entry k() {}",
      "hello",
  };
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if (cs_ptx_parts_open(texts[i]))
      fail_msg("%s", texts[i]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts), cmocka_unit_test(wholes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
