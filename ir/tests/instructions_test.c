/* instructions_test.c: the questions about IR, each on a function that is written for it. */
#include "ir/instructions.h"
#include "ir/module.h"
#include "ir/names.h"
#include <llvm-c/IRReader.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static LLVMContextRef context;

static LLVMModuleRef parse(const char *text) {
  LLVMModuleRef module;
  char *message = NULL;
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, strlen(text), "test");
  assert_int_equal(LLVMParseIRInContext(context, buffer, &module, &message), 0);
  return module;
}

static void all_blocks_are_walked(void **state) {
  (void)state;
  LLVMModuleRef module = parse("declare void @none()\n"
                               "define void @f(i1 %c) {\n"
                               "  %a = alloca i32\n"
                               "  br i1 %c, label %then, label %end\n"
                               "then:\n"
                               "  store i32 1, ptr %a\n"
                               "  br label %end\n"
                               "end:\n"
                               "  ret void\n}\n");
  LLVMValueRef f = LLVMGetNamedFunction(module, "f");
  static const LLVMOpcode expected[] = {LLVMAlloca, LLVMBr, LLVMStore, LLVMBr, LLVMRet};
  LLVMInsertBasicBlockInContext(context, LLVMGetLastBasicBlock(f), "empty");
  LLVMAppendBasicBlockInContext(context, f, "last");
  size_t count = 0;
  for (LLVMValueRef i = cs_ir_first(f); i; i = cs_ir_next(i), count++)
    assert_int_equal(LLVMGetInstructionOpcode(i), expected[count]);
  assert_int_equal(count, sizeof expected / sizeof *expected);
  assert_int_equal(LLVMGetInstructionOpcode(cs_ir_after_allocas(f)), LLVMBr);
  assert_null(cs_ir_first(LLVMGetNamedFunction(module, "none")));
  LLVMDisposeModule(module);
}

static void only_direct_calls_have_a_callee(void **state) {
  (void)state;
  LLVMModuleRef module = parse("declare void @g()\n"
                               "define ptx_kernel void @f(ptr addrspace(3) %p, ptr %q) noinline {\n"
                               "  call void @g()\n"
                               "  call void %q()\n"
                               "  call void asm \"exit;\", \"\"()\n"
                               "  ret void\n}\n");
  LLVMValueRef f = LLVMGetNamedFunction(module, "f"), g = LLVMGetNamedFunction(module, "g"), i = cs_ir_first(f);
  assert_ptr_equal(cs_ir_callee(i), g);
  for (i = cs_ir_next(i); i; i = cs_ir_next(i))
    assert_null(cs_ir_callee(i));
  assert_null(cs_ir_callee(g));
  assert_string_equal(cs_ir_name(g), "g");
  assert_true(cs_ir_is_kernel(f) && !cs_ir_is_kernel(g));
  assert_int_equal(cs_ir_space_of(LLVMGetParam(f, 0)), CS_IR_SPACE_SHARED);
  assert_int_equal(cs_ir_space_of(LLVMGetParam(f, 1)), CS_IR_SPACE_GENERIC);
  LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  assert_ptr_equal(LLVMGetEnumAttributeAtIndex(f, whole, cs_ir_attribute_kind("noinline")),
                   cs_ir_attribute(context, "noinline"));
  assert_null(LLVMGetEnumAttributeAtIndex(f, whole, cs_ir_attribute_kind("cold")));
  LLVMDisposeModule(module);
}

/* The uses of %d, a difference, in a function with the parameters i64 %a and i64 %b. */
static int is_number(const char *uses, int steps) {
  char text[512] = "define i64 @f(i64 %a, i64 %b) {\n  %d = sub i64 %a, %b\n";
  strcat(strcat(text, uses), "  ret i64 %a\n}\n");
  LLVMModuleRef module = parse(text);
  int is = cs_ir_is_used_as_number(cs_ir_first(LLVMGetNamedFunction(module, "f")), steps);
  LLVMDisposeModule(module);
  return is;
}

static void differences_are_scaled_or_compared_with_constants(void **state) {
  (void)state;
  assert_true(is_number("", 1));
  static const char *const scaled[] = {
      "ashr i64 %d, 2", "lshr i64 %d, 2", "sdiv i64 %d, 4",      "udiv i64 %d, 4",         "srem i64 %d, 4",
      "urem i64 %d, 4", "mul i64 %d, 3",  "trunc i64 %d to i32", "sitofp i64 %d to float", "uitofp i64 %d to float"};
  for (size_t i = 0; i < sizeof scaled / sizeof *scaled; i++) {
    char use[64];
    snprintf(use, sizeof use, "%%q = %s\n", scaled[i]);
    assert_true(is_number(use, 0));
  }
  assert_true(is_number("%q = sdiv i64 %d, 4\n %s = ashr i64 %d, 2\n %t = trunc i64 %d to i32\n", 0));
  assert_true(is_number("%c = icmp slt i64 %d, 8\n", 0));
  assert_false(is_number("%c = icmp slt i64 %d, %a\n", 0));
  assert_false(is_number("%p = inttoptr i64 %d to ptr\n", 3));
  assert_false(is_number("%q = sdiv i64 %d, 4\n %x = xor i64 %d, 1\n", 3));
}

static void sums_are_followed(void **state) {
  (void)state;
  const char *sum = "%s = add i64 %d, 3\n %q = sdiv i64 %s, 4\n";
  assert_true(is_number(sum, 1));
  assert_false(is_number(sum, 0));
  assert_false(is_number("%s = add i64 %d, 3\n %p = inttoptr i64 %s to ptr\n", 3));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_blocks_are_walked), cmocka_unit_test(only_direct_calls_have_a_callee),
      cmocka_unit_test(differences_are_scaled_or_compared_with_constants), cmocka_unit_test(sums_are_followed)};
  context = LLVMContextCreate();
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  LLVMContextDispose(context);
  return failed;
}
