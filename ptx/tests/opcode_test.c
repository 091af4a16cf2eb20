/* opcode_test.c: the rows of opcodes.inc, and the parts of an opcode. */
#include "ptx/inline.h"
#include "ptx/opcode.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static const char *const forms[] = {
#define CS_PTX_CALL(form, function) form,
#include "ptx/opcodes.inc"
};
enum { FORMS = sizeof forms / sizeof *forms };

/* A whole opcode that the CPU device has a function for is a form of a row, and is listed once. */
static void every_form_has_a_row(void **state) {
  (void)state;
  for (size_t i = 0; i < FORMS; i++) {
    char part[32] = "";
    memcpy(part, forms[i], strcspn(forms[i], "."));
    if (cs_ptx_code(part) == CS_PTX_UNKNOWN)
      fail_msg("%s has no row", part);
    for (size_t k = 0; k < i; k++)
      if (strcmp(forms[i], forms[k]) == 0)
        fail_msg("%s is listed twice", forms[i]);
  }
}

static void has(const char *text, enum cs_ptx_code code, unsigned traits) {
  struct cs_ptx_inline tree;
  cs_ptx_parse_inline(&tree, text);
  const struct cs_ptx_instruction *i = &tree.body.nodes[0].instruction;
  assert_int_equal(i->code, code);
  for (unsigned trait = CS_PTX_PURE; trait <= CS_PTX_JUMPS; trait *= 2)
    assert_int_equal(cs_ptx_is(i, (enum cs_ptx_trait)trait), (traits & trait) != 0);
  cs_ptx_inline_free(&tree);
}

static void rows(void **state) {
  (void)state;
  has("add.u32 $0, $1, 1;", CS_PTX_OP_add, CS_PTX_PURE);
  has("st.global.u32 [$0], 1;", CS_PTX_OP_st, CS_PTX_NO_RESULT);
  has("bar.sync 0;", CS_PTX_OP_bar, CS_PTX_NO_RESULT | CS_PTX_EFFECTS | CS_PTX_CONVERGENT);
  has("@p bra L;", CS_PTX_OP_bra, CS_PTX_JUMPS);
  has("adds.u32 $0, $1, 1;", CS_PTX_UNKNOWN, 0);
}

static void parts(void **state) {
  (void)state;
  struct cs_ptx_inline tree;
  struct cs_ptx_type types[2];
  cs_ptx_parse_inline(&tree, "cvt.rn.f16x2.f32.relu $0, $1, $2;");
  const struct cs_ptx_instruction *i = &tree.body.nodes[0].instruction;
  assert_int_equal(cs_ptx_types(i, types), 2);
  assert_int_equal(types[0].kind, 'h');
  assert_int_equal(types[0].lanes, 2);
  assert_int_equal(types[1].bits, 32);
  assert_true(cs_ptx_has(i, "relu"));
  assert_false(cs_ptx_has(i, "cvt"));
  assert_true(cs_ptx_knows(i, "rn relu"));
  assert_false(cs_ptx_knows(i, "rn rel"));
  cs_ptx_inline_free(&tree);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_form_has_a_row),
      cmocka_unit_test(rows),
      cmocka_unit_test(parts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
