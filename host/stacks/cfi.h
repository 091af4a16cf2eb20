/* cfi.h: how a function's unwind table (.eh_frame) describes the frame at one of its instructions, if the frame is
 * simple.
 *
 * In a simple frame, the caller's stack pointer is this frame's stack or base pointer plus a constant, the return
 * address is just below it, and the caller's base pointer is unchanged or saved at a constant offset. Compilers rarely
 * generate others; those are CS_HOST_CFI_OTHER and need a full unwinder. x86-64 only; elsewhere every frame is
 * CS_HOST_CFI_OTHER. */
#ifndef CUSAFE_HOST_STACKS_CFI_H
#define CUSAFE_HOST_STACKS_CFI_H

#include "cusafe/layout.h"

enum cs_host_cfi_kind { CS_HOST_CFI_OTHER, CS_HOST_CFI_END /* no caller */, CS_HOST_CFI_FROM_SP, CS_HOST_CFI_FROM_BP };

struct cs_host_cfi {
  enum cs_host_cfi_kind kind;
  cs_u32 size;     /* from this frame's stack or base pointer up to the caller's stack pointer, in bytes */
  cs_u32 saved_bp; /* from the caller's stack pointer down to its saved base pointer, in bytes; 0: unchanged */
};

/* Any thread. pc: inside an instruction, so for a return address the byte before it. unloaded: the number of libraries
 * that this process has unloaded so far; their addresses may hold other code since. */
struct cs_host_cfi cs_host_cfi_at(cs_u64 pc, cs_u64 *unloaded);

#endif
