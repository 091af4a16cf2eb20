/* inline_test.c: the tree of inline assembly, which need not be whole: scopes that stay open, a last statement without
 * a semicolon, and statements that cannot be parsed. */
#include "ptx/inline.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* One letter for each node, and the start of the statement that cannot be parsed. */
static void parses(const char *text, const char *kinds, const char *unknown) {
  struct cs_ptx_inline tree;
  cs_ptx_parse_inline(&tree, text);
  char made[32] = "";
  for (unsigned k = 0; k < tree.body.node_count && k < sizeof made - 1; k++)
    made[k] = "ildl{}ptp"[tree.body.nodes[k].kind];
  assert_string_equal(made, kinds);
  if (unknown)
    assert_string_equal(tree.unknown, unknown);
  else
    assert_null(tree.unknown);
  cs_ptx_inline_free(&tree);
}

static void statements(void **state) {
  (void)state;
  parses("", "", NULL);
  parses("// only a comment", "", NULL);
  parses("add.u32 $0, $1, 1;", "i", NULL);
  parses("add.u32 $0, $1, 1", "i", NULL);
  parses("trap", "i", NULL);
  parses("{ .reg .pred p; setp.ne.u32 p, $1, 0;\n\t@p exit }", "{dii}", NULL);
  parses("{ .reg.b32 a, b; .pragma \"nounroll\";", "{ddp", NULL);
  parses("} mov.u32 $0, %tid.x", "}i", NULL);
  parses("$$L: bra $$L;", "li", NULL);
}

static void unknown(void **state) {
  (void)state;
  parses("mov.u32 r, 1; add.u32 $0, ${1}; trap", "i", "add.u32 $0, ${1}; trap");
  parses(".reg .b33 x; trap;", "", ".reg .b33 x; trap;");
  parses("mov.u32 r, 1; ?", "i", "?");
}

static void texts_and_operands(void **state) {
  (void)state;
  const char *text = "{ .shared .b32 s; ld.v2.f32 {$0, $1}, [$2+-8]; shfl.sync.up.b32 d|p, $0, 1, 0, -1; }";
  struct cs_ptx_inline tree;
  cs_ptx_parse_inline(&tree, text);
  const struct cs_ptx_node *nodes = tree.body.nodes;
  const struct cs_ptx_operand *elements[CS_PTX_MAX_ELEMENTS];
  assert_int_equal(tree.body.node_count, 5);
  assert_ptr_equal(nodes[1].text, strstr(text, ".shared"));
  assert_ptr_equal(nodes[2].text, strstr(text, "ld.v2"));
  assert_int_equal(cs_ptx_elements(nodes[2].instruction.operands, 2, elements), 3);
  assert_string_equal(elements[1]->name, "$1");
  assert_ptr_equal(cs_ptx_base(elements[2]), elements[2]->items);
  assert_int_equal(elements[2]->items->offset, -8);
  assert_int_equal(cs_ptx_elements(nodes[3].instruction.operands, 1, elements), 2);
  assert_string_equal(elements[1]->name, "p");
  assert_null(cs_ptx_base(elements[1]));
  cs_ptx_inline_free(&tree);
}

static void too_many_elements(void **state) {
  (void)state;
  struct cs_ptx_inline tree;
  const struct cs_ptx_operand *elements[CS_PTX_MAX_ELEMENTS];
  cs_ptx_parse_inline(&tree, "f {0,1,2,3,4,5,6,7}, {8,9,10,11,12,13,14,15}, 16");
  assert_int_equal(cs_ptx_elements(tree.body.nodes[0].instruction.operands, 2, elements), CS_PTX_MAX_ELEMENTS);
  assert_int_equal(elements[15]->value, 15);
  assert_int_equal(cs_ptx_elements(tree.body.nodes[0].instruction.operands, 3, elements), 0);
  cs_ptx_inline_free(&tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(statements),
      cmocka_unit_test(unknown),
      cmocka_unit_test(texts_and_operands),
      cmocka_unit_test(too_many_elements),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
