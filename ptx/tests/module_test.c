/* module_test.c: the tree of each construct of PTX, and what an error names. */
#include "ptx/module.h"
#include "ptx/print.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct cs_ptx_module parse(const char *text) {
  struct cs_ptx_module module;
  struct cs_ptx_error error = {0, ""};
  if (cs_ptx_parse_module(&module, text, &error))
    fail_msg("line %u: %s", error.line, error.text);
  return module;
}

static void fails(const char *text, unsigned line, const char *message) {
  struct cs_ptx_module module;
  struct cs_ptx_error error = {0, ""};
  assert_int_equal(cs_ptx_parse_module(&module, text, &error), -1);
  assert_string_equal(error.text, message);
  assert_int_equal(error.line, line);
  cs_ptx_module_free(&module);
}

static void prints(const char *text, const char *expected) {
  struct cs_ptx_module module = parse(text);
  char *made = NULL;
  size_t length;
  FILE *to = open_memstream(&made, &length);
  cs_ptx_print_module(&module, to);
  fclose(to);
  assert_string_equal(made, expected);
  free(made);
  cs_ptx_module_free(&module);
}

/* The nodes of one function's body. */
static struct cs_ptx_function *body(struct cs_ptx_module *module, const char *statements) {
  char text[1024];
  snprintf(text, sizeof text, ".func f()\n{\n%s\n}\n", statements);
  *module = parse(text);
  assert_int_equal(module->item_count, 1);
  return module->items[0].function;
}

static void variables(void **state) {
  (void)state;
  struct cs_ptx_module m =
      parse(".visible .global .align 8 .b8 name[2][3] = {1, 0x2U, -3};\n.extern .shared .b32 s[];\n"
            ".global .attribute(.managed) .u64 a = generic(name)+4, b;");
  assert_int_equal(m.item_count, 4);
  const struct cs_ptx_variable *v = m.items[0].variable;
  assert_string_equal(v->linkage, ".visible");
  assert_string_equal(v->space, ".global");
  assert_string_equal(v->type, ".b8");
  assert_int_equal(v->align, 8);
  assert_int_equal(v->dimension_count, 2);
  assert_int_equal(v->dimensions[1], 3);
  assert_int_equal(v->initial->count, 3);
  assert_int_equal(v->initial->items[1].value, 2);
  assert_true((long long)v->initial->items[2].value == -3);
  assert_int_equal(m.items[1].variable->dimensions[0], 0);
  v = m.items[2].variable;
  assert_string_equal(v->attribute, ".managed");
  assert_int_equal(v->initial->kind, CS_PTX_APPLIED);
  assert_string_equal(v->initial->items[0].name, "name");
  assert_int_equal(v->initial->offset, 4);
  assert_null(m.items[3].variable->initial);
  cs_ptx_module_free(&m);
}

static void heads(void **state) {
  (void)state;
  struct cs_ptx_module m =
      parse(".visible .entry k(\n.param .u64 .ptr .global .align 16 k_0,\n.param .align 4 .b8 k_1[12]\n)\n"
            ".maxntid 128, 2, 1\n.minnctapersm 3\n{ ret; }\n.func (.param .b32 r) g(.param .b32 a) .noreturn;");
  const struct cs_ptx_function *k = m.items[0].function, *g = m.items[1].function;
  assert_true(k->is_entry && k->is_defined && !g->is_entry && !g->is_defined);
  assert_string_equal(k->parameters[0].pointer_space, ".global");
  assert_int_equal(k->parameters[0].pointer_align, 16);
  assert_null(k->parameters[1].pointer_space);
  assert_int_equal(k->parameters[1].dimensions[0], 12);
  assert_string_equal(k->directives[0].name, ".maxntid");
  assert_int_equal(k->directives[0].values[1], 2);
  assert_int_equal(k->directives[1].values[0], 3);
  assert_string_equal(g->results[0].name, "r");
  assert_string_equal(g->directives[0].name, ".noreturn");
  cs_ptx_module_free(&m);
}

static void instructions(void **state) {
  (void)state;
  struct cs_ptx_module m;
  const struct cs_ptx_function *f =
      body(&m, "@!%p1 ld.global.L2::128B.v2.f32 {%f1, _}, [%rd1+-8];\nsetp.lt.s32 %p|%q, %r1, 0f3F800000;\n"
               "call.uni (retval0), g, (param0, param1);\nmov.u64 %rd2, name-4;\ntex.2d.v4.f32.s32 {%f1,%f2,%f3,%f4}, "
               "[t, {%r1,%r2}];");
  assert_int_equal(f->node_count, 5);
  const struct cs_ptx_instruction *i = &f->nodes[0].instruction;
  assert_string_equal(i->predicate, "%p1");
  assert_true(i->negated);
  assert_int_equal(i->part_count, 5);
  assert_string_equal(i->parts[2], "L2::128B");
  assert_int_equal(i->operands[0].kind, CS_PTX_VECTOR);
  assert_int_equal(i->operands[1].kind, CS_PTX_ADDRESS);
  assert_int_equal(i->operands[1].items[0].offset, -8);
  i = &f->nodes[1].instruction;
  assert_int_equal(i->operands[0].kind, CS_PTX_PAIR);
  assert_int_equal(i->operands[2].kind, CS_PTX_FLOAT);
  assert_int_equal(i->operands[2].value, 0x3F800000);
  i = &f->nodes[2].instruction;
  assert_int_equal(i->operands[0].kind, CS_PTX_ARGUMENTS);
  assert_int_equal(i->operands[2].count, 2);
  assert_int_equal(f->nodes[3].instruction.operands[1].offset, -4);
  assert_int_equal(f->nodes[4].instruction.operands[1].items[1].count, 2);
  assert_int_equal(f->nodes[4].line, 7);
  cs_ptx_module_free(&m);
}

static void statements(void **state) {
  (void)state;
  struct cs_ptx_module m;
  const struct cs_ptx_function *f = body(
      &m, ".reg.b32 %r<5>, t;\n.loc 1 2 3, function_name $L+16, inlined_at 4 5 6\n$A: { mov.u32 t, 1 }\n"
          "T: .branchtargets $A, $B;\nP: .callprototype (.param .b32 _) _ (.param .b64 _);\n.pragma \"nounroll\";\n"
          "$B: bra.uni $A; // comment\n/* another\n*/ ret;");
  static const enum cs_ptx_node_kind kinds[] = {
      CS_PTX_DECLARATION, CS_PTX_DECLARATION, CS_PTX_LOC,        CS_PTX_LABEL,     CS_PTX_OPEN,
      CS_PTX_INSTRUCTION, CS_PTX_CLOSE,       CS_PTX_TARGETS,    CS_PTX_PROTOTYPE, CS_PTX_PRAGMA,
      CS_PTX_LABEL,       CS_PTX_INSTRUCTION, CS_PTX_INSTRUCTION};
  assert_int_equal(f->node_count, sizeof kinds / sizeof *kinds);
  for (unsigned i = 0; i < f->node_count; i++)
    assert_int_equal(f->nodes[i].kind, kinds[i]);
  assert_int_equal(f->nodes[0].variable->registers, 5);
  assert_int_equal(f->nodes[2].loc->function_offset, 16);
  assert_int_equal(f->nodes[2].loc->at_column, 6);
  assert_int_equal(f->nodes[7].instruction.operand_count, 2);
  assert_int_equal(f->nodes[8].prototype->parameter_count, 1);
  assert_int_equal(f->nodes[12].line, 11);
  cs_ptx_module_free(&m);
}

static void prints_the_same(void **state) {
  (void)state;
  prints(".version 9.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.cu\", 2, 3\n.alias a, b;\n"
         ".section .debug_str { .b8 1 // }\n}\n.global .v2 .f32 v = {0f00000000, 1.5};",
         ".version 9.0\n.target sm_90, debug\n.address_size 64\n.file 1 \"a.cu\", 2, 3\n.alias a, b;\n"
         ".section .debug_str\n{ .b8 1 // }\n}\n.global .v2 .f32 v = {0f00000000, 1.5};\n");
  prints(".weak .func f(){ @p bra a; a: st.u32 [x+-4], {a,b}; }",
         ".weak .func  f()\n{\n@p bra a;\na:\nst.u32 [x+-4], {a, b};\n}\n");
}

static void errors(void **state) {
  (void)state;
  fails(".version 9.0\n.global .b32", 2, "expected a name in .global, found the end of the text");
  fails(".global .b33 x;", 1, "expected a type or a name in .global, found 'x'");
  fails(".entry k()\n{\n  ld.global.u32 %r1, [%rd1;\n}", 3, "expected ']' in ld.global.u32, found ';'");
  fails(".entry k()\n{\n  ret;\n", 4, "expected a statement in k, found the end of the text");
  fails("hello", 1, "expected a directive in the module, found 'hello'");
  fails(".func f() { mov.u32 %r, 12x; }", 1, "expected a number in mov.u32, found '12x'");
  fails(".func f() { x {{{{{{{{{{{1}}}}}}}}}}}; }", 1,
        "expected an operand that is less deeply nested in x, found '{'");
  fails(".section .debug_info { .b8 1", 1, "expected '}' in .section, found the end of the text");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variables),  cmocka_unit_test(heads),           cmocka_unit_test(instructions),
      cmocka_unit_test(statements), cmocka_unit_test(prints_the_same), cmocka_unit_test(errors),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
