/* pieces.c: the calls by which a program declares pieces of dynamic shared memory become the device runtime's, which
 * attach bounds. */
#include "pass/variables/pieces.h"
#include "cusafe/ir.h"

int cs_pass_bound_pieces(struct cs_pass *pass) {
  LLVMValueRef declared = LLVMGetNamedFunction(pass->module, "__cusafe_shared_piece");
  if (declared == NULL)
    return 0;
  LLVMValueRef bounded = LLVMAddFunction(pass->module, "__cs_shared_piece", LLVMGlobalGetValueType(declared));
  for (LLVMUseRef use = LLVMGetFirstUse(declared), next; use; use = next) {
    LLVMValueRef call = LLVMGetUser(use);
    next = LLVMGetNextUse(use);
    if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == declared)
      LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, bounded);
  }
  return 0;
}
