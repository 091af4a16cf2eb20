/* machine.h: the machine that runs the cold path on GPUs.
 *
 * ptxas copies a function into every kernel that calls it. What a failing check calls is therefore data: a program that
 * a short loop interprets (interpret.c). error.c, object.c and heatmap.c are compiled for BPF, whose instructions are
 * few and regular, and assemble.c translates those to the machine's.
 *
 * An instruction is four bytes and an immediate: the operation, the offsets of registers a, b and d in the register
 * file, and a signed number of 32 bits. machine.inc lists the operations. */
#ifndef CUSAFE_DEVICE_MACHINE_H
#define CUSAFE_DEVICE_MACHINE_H

#include "cusafe/layout.h"

enum cs_machine_register {
  CS_REGISTER_RESULT,
  CS_REGISTER_ARGUMENT, /* the first of five */
  CS_REGISTER_THIRD = CS_REGISTER_ARGUMENT + 2,
  CS_REGISTER_STACK = 10, /* the end of the stack; as in BPF, like all before it */
  CS_REGISTER_ENVIRONMENT,
  CS_REGISTER_ZERO,
  CS_REGISTER_SCRATCH, /* of the translation, and the result of instructions without one */
  CS_REGISTER_OTHER,
  CS_REGISTER_HALF,
  CS_REGISTER_COUNT
};

enum cs_machine_operation {
#define CS_MACHINE(name, result) CS_MACHINE_##name,
#include "device/machine.inc"
  CS_MACHINE_RETURN, /* the program ends, with its result in CS_REGISTER_RESULT */
  CS_MACHINE_COUNT
};

#define CS_MACHINE_INSTRUCTION(operation, a, b, d, immediate)                                                          \
  ((cs_u64)(operation) | (cs_u64)(a) << 11 | (cs_u64)(b) << 19 | (cs_u64)(d) << 27 | (cs_u64)(cs_u32)(immediate) << 32)

/* What a program cannot compute: its module's variables and its thread's registers. */
struct cs_environment {
  cs_u64 state, counts; /* the addresses of __cs_state and __cs_counts */
  cs_u64 dynamic;       /* the generic address of dynamic shared memory */
  cs_u32 dynamic_size;
  cs_u32 extent[2][3], at[2][3]; /* of the grid and of the block: heatmap.c */
};

#endif
