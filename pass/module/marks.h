/* marks.h: metadata on instructions, set by one step and read by later ones. */
#ifndef CUSAFE_PASS_MODULE_MARKS_H
#define CUSAFE_PASS_MODULE_MARKS_H

#include "pass/module/pass.h"
#include "pass/module/reasons.h"

/* Code of the checked path, which keeps every check (CS_IR_EXACT). Steps that copy code set the kind on the copy. */
unsigned cs_pass_exact_kind(const struct cs_pass *pass);
int cs_pass_is_exact(const struct cs_pass *pass, LLVMValueRef instruction);

/* An access whose check the fast path omits. eliminated_by returns an enum cs_pass_reason, or -1 if the access is
 * checked. */
void cs_pass_set_eliminated(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand,
                            enum cs_pass_reason reason);
int cs_pass_eliminated_by(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand);
void cs_pass_unset_eliminated(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand);

/* A detector's call that only reports, and that a kernel's fast form does not reach. */
void cs_pass_set_unreached(const struct cs_pass *pass, LLVMValueRef call, int on);
int cs_pass_is_unreached(const struct cs_pass *pass, LLVMValueRef instruction);

/* An access that races with none in a kernel's fast form: the launch predicate says so. */
void cs_pass_set_apart(const struct cs_pass *pass, LLVMValueRef access, int on);
int cs_pass_is_apart(const struct cs_pass *pass, LLVMValueRef instruction);

/* An instruction that the pass inserted before it collects the program's own: not to be instrumented. */
void cs_pass_set_own(const struct cs_pass *pass, LLVMValueRef instruction);
int cs_pass_is_own(const struct cs_pass *pass, LLVMValueRef instruction);

#endif
