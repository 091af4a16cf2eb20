/* unknown.c: prints an access without bounds, and the reason. */
#include "pass/function/unknown.h"
#include "ir/module.h"
#include "pass/module/build.h"
#include "pass/module/lines.h"
#include "report/print.h"
#include <stdio.h>

static const char *why(struct cs_pass_roots *roots, LLVMValueRef pointer) {
  LLVMValueRef root = cs_pass_terminal_of(pointer);
  if (cs_pass_is_meeting(root) && cs_pass_plain_root_of(roots, pointer) == NULL)
    return "the pointer is selected among values without known bounds";
  if (cs_pass_is_null_pointer(root))
    return "the pointer is null or undefined";
  if (cs_pass_is_parameter_in_memory(root))
    return "a kernel's parameters have no bounds of their own";
  if (LLVMIsAGlobalVariable(root) || LLVMIsAAllocaInst(root))
    return "the variable's size is not known here";
  if (cs_ir_space_of(root) > CS_IR_SPACE_GLOBAL)
    return "the address is in a specific address space, and of no variable that is named here";
  return "the origin of the pointer is unknown";
}

void cs_pass_print_unknown(struct cs_pass_roots *roots, const struct cs_pass_access_item *item) {
  static const char *const accesses[CS_ACCESS_COUNT] = {"read", "write", "atomic access"};
  LLVMMetadataRef location = cs_pass_line_of(NULL, item->instruction);
  LLVMMetadataRef file = location ? LLVMDIScopeGetFile(LLVMDILocationGetScope(location)) : NULL;
  unsigned length = 0;
  const char *name = file ? LLVMDIFileGetFilename(file, &length) : "<unknown>";
  cs_report_print(stderr, "cusafe: %.*s:%u:%u: unknown: ", file ? (int)length : 9, name,
                  location ? LLVMDILocationGetLine(location) : 0, location ? LLVMDILocationGetColumn(location) : 0);
  cs_report_print(stderr, "%s of %llu bytes: %s\n", accesses[item->access], item->bytes,
                  why(roots, LLVMGetOperand(item->instruction, item->operand)));
}
