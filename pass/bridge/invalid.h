/* invalid.h: keeps accesses that LLVM knows to be out of bounds until they are checked. */
#ifndef CUSAFE_PASS_BRIDGE_INVALID_H
#define CUSAFE_PASS_BRIDGE_INVALID_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What starts a scope that is hidden from LLVM, and returns the variable's address (pass/detect/detect_scope.c). */
#define CS_PASS_SCOPE_BEGIN_NAME "__cs_scope_begin"

/* Loads of constant arrays to which the program has pointers are not folded. */
void cs_pass_keep_constants(LLVMModuleRef module);

/* Between the two others: hides the address of each access of the function that is at a constant offset outside its
 * local variable, and of each load through a select of a variable whose scope is hidden. */
void cs_pass_hide_invalid(LLVMValueRef function);

/* Before and after SROA: hides and shows the addresses of local variables that the function stores in others. Otherwise
 * SROA would resolve such an address and fold an invalid access through it, in one run. */
void cs_pass_hide_stored(LLVMValueRef function);
void cs_pass_show_stored(LLVMValueRef function);

/* Undoes all of it, for the module. */
void cs_pass_release_invalid(LLVMModuleRef module);

/* Removes what the program promises of its values from code that is to be checked: an error may be that a promise is
 * broken. */
void cs_pass_forget_promises(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
