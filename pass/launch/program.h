/* program.h: a kernel's launch predicate while it is built: code of the kernel as operations for the host
 * (cusafe/predicate.h). */
#ifndef CUSAFE_PASS_LAUNCH_PROGRAM_H
#define CUSAFE_PASS_LAUNCH_PROGRAM_H

#include "cusafe/predicate.h"
#include "pass/module/pass.h"

struct cs_pass_program {
  struct cs_pass *pass;
  struct cs_operation *operations;
  size_t count;
  cs_u64 *constants;
  size_t constant_count;
  struct cs_ir_map same;             /* an operation's bits + 1 -> its number + 1 */
  struct cs_ir_map values;           /* IR value -> its operation's number + 1 */
  struct cs_ir_map constant_numbers; /* a constant + 1 -> its number + 1 */
};

/* The operation that computes an integer or a pointer of a kernel, with all that it depends on; -1 if the host cannot
 * compute it. Kernels that differ only in further parameters may share a program. */
int cs_pass_program_value(struct cs_pass_program *program, LLVMValueRef value);

/* a and b, each of which is 0 or 1; a may be -1: always. */
int cs_pass_program_both(struct cs_pass_program *program, int a, int b);
int cs_pass_program_true(struct cs_pass_program *program);

/* The IR values may change or be deleted from now on; the operations stay. */
void cs_pass_program_forget_values(struct cs_pass_program *program);
void cs_pass_program_free(struct cs_pass_program *program);

#endif
