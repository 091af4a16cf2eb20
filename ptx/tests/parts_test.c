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
#define FRAMES ".section .debug_info\n{\n.b8 1\n}\n.section .debug_abbrev\n{\n.b8 2\n}\n"

static struct cs_ptx_parts *open_one(const char *text) {
  return cs_ptx_parts_open(&text, 1);
}

/* Frees the part. */
static void expect(struct cs_ptx_part part, size_t count, const char *const *texts) {
  assert_int_equal(part.count, count);
  for (size_t i = 0; i < count; i++)
    assert_string_equal(part.texts[i], texts[i]);
  cs_ptx_part_free(&part);
}
static void expect_one(struct cs_ptx_part part, const char *text) {
  expect(part, 1, &text);
}

static void parts(void **state) {
  (void)state;
  const char *text =
      HEAD ".visible .global .align 4 .b8 count[8] = {1, 2};\n" LITERAL SHARED PROTOTYPE CALLS CALLED USES
           ".section .debug_loc { .b8 1 }\n" NAMES FRAMES;
  struct cs_ptx_parts *p = open_one(text);
  size_t count;
  assert_non_null(p);
  const char *const *names = cs_ptx_parts_kernels(p, &count);
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "calls");
  assert_string_equal(names[1], "uses");
  expect_one(cs_ptx_parts_variables(p), HEAD ".visible .global .align 4 .b8 count[8] = {1, 2};\n" LITERAL NAMES FRAMES);
  expect_one(cs_ptx_parts_kernel(p, "calls"),
             HEAD ".extern .global .align 4 .b8 count[8] ;\n" LITERAL PROTOTYPE CALLS CALLED NAMES FRAMES);
  expect_one(cs_ptx_parts_kernel(p, "uses"), HEAD SHARED USES NAMES FRAMES);
  assert_int_equal(cs_ptx_parts_kernel(p, "called").count, 0);
  assert_int_equal(cs_ptx_parts_kernel(p, "missing").count, 0);
  assert_true(cs_ptx_parts_are_complete(p));
  cs_ptx_parts_close(p);
}

#define WEAK(body) ".weak .func weak()\n{\n " body "\n}\n"
#define BOTH(body) ".weak .entry both()\n{\n " body "\n}\n"
#define OWN(body) ".func own()\n{\n " body "\n}\n"
#define FAR ".visible .func far()\n{\n call own, ();\n mov.u64 %rd1, $str;\n ld.global.u32 %r1, [table];\n}\n"
#define NEAR ".visible .entry near()\n{\n call far, ();\n call own, ();\n call weak, ();\n mov.u64 %rd1, table;\n}\n"
#define PRINTS ".extern .func vprintf();\n"

/* Functions of other modules come with their module's own names; of an external array the definition has the length. */
static void linked(void **state) {
  (void)state;
  const char *const texts[] = {HEAD ".extern .func far();\n.extern .global .align 4 .b8 table[];\n" LITERAL OWN("ret;")
                                   WEAK("ret;") NEAR BOTH("exit;") PRINTS,
                               HEAD ".visible .global .align 4 .b8 other[4];\n" BOTH("ret;"),
                               HEAD ".visible .global .align 4 .b8 table[64] = {1};\n" LITERAL OWN("exit;")
                                   FAR WEAK("exit;")};
  struct cs_ptx_parts *p = cs_ptx_parts_open(texts, 3);
  size_t count;
  assert_non_null(p);
  const char *const *names = cs_ptx_parts_kernels(p, &count);
  assert_int_equal(count, 2);
  assert_string_equal(names[0], "near");
  assert_string_equal(names[1], "both");
  assert_true(cs_ptx_parts_are_complete(p));
  expect(cs_ptx_parts_variables(p), 3,
         (const char *const[]){HEAD ".extern .global .align 4 .b8 table[];\n" LITERAL,
                               HEAD ".visible .global .align 4 .b8 other[4];\n",
                               HEAD ".visible .global .align 4 .b8 table[64] = {1};\n" LITERAL});
  expect(cs_ptx_parts_kernel(p, "near"), 2,
         (const char *const[]){HEAD ".extern .func far();\n.extern .global .align 4 .b8 table[64] ;\n" OWN("ret;")
                                   WEAK("ret;") NEAR,
                               HEAD ".extern .global .align 4 .b8 table[64] ;\n" LITERAL OWN("exit;") FAR});
  expect_one(cs_ptx_parts_kernel(p, "both"), HEAD BOTH("exit;"));
  cs_ptx_parts_close(p);
}

static void without_variables(void **state) {
  (void)state;
  const char *const texts[] = {HEAD ".extern .func far();\n.entry k(){ call far; }\n", HEAD ".entry j(){}\n"};
  struct cs_ptx_parts *p = cs_ptx_parts_open(texts, 2);
  assert_non_null(p);
  expect_one(cs_ptx_parts_variables(p), HEAD);
  assert_false(cs_ptx_parts_are_complete(p)); /* no module defines far */
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
    if (open_one(texts[i]))
      fail_msg("%s", texts[i]);
}

/* Variables and kernels are looked up by name. */
static void same_names(void **state) {
  (void)state;
  static const char *const pairs[][2] = {
      {HEAD ".global .b32 a;", HEAD ".global .b32 a;"},
      {HEAD ".global .b32 a;", HEAD ".extern .global .b32 a;"},
      {HEAD ".visible .global .b32 a;", HEAD ".visible .global .b32 a;"},
      {HEAD ".visible .global .b32 a;", HEAD ".visible .func a(){}"},
      {HEAD ".entry k(){}", HEAD ".entry k(){}"},
      {HEAD ".weak .entry k(){}", HEAD ".visible .entry k(){}"},
      {HEAD ".entry k(){}", HEAD ".entry j(){ p: .callprototype _ (); call %rd1, (), p; }"},
      {HEAD ".extern .func f();\n.global .u64 table[1] = {f};", HEAD ".visible .func f(){}"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if (cs_ptx_parts_open(pairs[i], 2))
      fail_msg("%s and %s", pairs[i][0], pairs[i][1]);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(parts), cmocka_unit_test(linked),
                                     cmocka_unit_test(without_variables), cmocka_unit_test(wholes),
                                     cmocka_unit_test(same_names)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
