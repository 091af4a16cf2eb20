/* managed.c: marks `__managed__` variables, from their annotation, for the back end. */
#include "pass/module/managed.h"
#include "pass/bridge/managed.h"
#include "pass/module/annotations.h"

static void mark(LLVMModuleRef module, LLVMValueRef variable, LLVMValueRef arguments) {
  (void)arguments;
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMMetadataRef fields[] = {LLVMValueAsMetadata(variable), LLVMMDStringInContext2(context, "managed", 7),
                              LLVMValueAsMetadata(LLVMConstInt(LLVMInt32TypeInContext(context), 1, 0))};
  LLVMMetadataRef node = LLVMMDNodeInContext2(context, fields, sizeof fields / sizeof *fields);
  LLVMAddNamedMetadataOperand(module, "nvvm.annotations", LLVMMetadataAsValue(context, node));
}

int cs_pass_keep_managed(struct cs_pass *pass) {
  cs_pass_each_annotated(pass->module, CS_PASS_MANAGED, mark);
  return 0;
}
