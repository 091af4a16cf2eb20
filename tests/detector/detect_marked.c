/* detect_marked.c: reads of a range that the program has marked with cusafe_mark(start, bytes). */
#include "ir/memory.h"
#include "ir/names.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"
#include <string.h>

/* The program only declares cusafe_mark: its calls are this detector's. */
static int collect(struct cs_pass *pass, struct cs_pass_found *found, LLVMValueRef call) {
  LLVMValueRef function = LLVMIsAFunction(LLVMGetCalledValue(call));
  (void)pass;
  if (function == NULL || strcmp(cs_ir_name(function), "cusafe_mark") != 0)
    return 0;
  cs_ir_push(found->calls, found->call_count, call);
  return 1;
}

static void write_mark(struct cs_pass *pass, LLVMValueRef call) {
  cs_pass_build_before(pass, call, call);
  LLVMValueRef arguments[] = {cs_pass_generic(pass, LLVMGetOperand(call, 0)), LLVMGetOperand(call, 1)};
  cs_pass_device_call(pass, "__cs_mark_range", "vpl", arguments);
  LLVMInstructionEraseFromParent(call);
}

/* detect_bounds has run before: the operand is the checked address. */
static void write_check(struct cs_pass_function *f, const struct cs_pass_access_item *item) {
  struct cs_pass *pass = f->pass;
  struct cs_site site = {
      .check = CS_CHECK_ACCESS, .access = CS_ACCESS_READ, .size = (cs_u32)item->bytes, .memory = CS_MEMORY_VARIABLE};
  cs_u32 number = cs_pass_sites_add(&pass->sites, item->instruction, site, f->kernel, "marked range");
  cs_pass_build_before(pass, item->instruction, item->instruction);
  LLVMValueRef arguments[] = {cs_pass_generic(pass, LLVMGetOperand(item->instruction, item->operand)),
                              cs_pass_constant(pass->i64, item->bytes), cs_pass_constant(pass->i32, number)};
  cs_pass_device_call(pass, "__cs_check_marked", "vpli", arguments);
}

static void write(struct cs_pass_function *f, struct cs_pass_found *found) {
  for (size_t i = 0; i < f->collected.access_count; i++)
    if (f->collected.accesses[i].access == CS_ACCESS_READ && f->collected.accesses[i].bytes > 0)
      write_check(f, &f->collected.accesses[i]);
  for (size_t i = 0; i < found->call_count; i++)
    write_mark(f->pass, found->calls[i]);
}

const struct cs_pass_detector cs_pass_detect_marked = {
    .name = "marked",
    .collect = collect,
    .write = write,
};
