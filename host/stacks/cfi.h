/* cfi.h: what a function's unwind table (.eh_frame) says about the frame at one of its instructions, as far as it is simple.
 *
 * Frames of compilers are: the caller's stack pointer is this frame's stack or base pointer plus a constant, the return address
 * lies just below it, and the caller's base pointer is what it was or lies at a constant place. Whatever is not like that is
 * CS_HOST_CFI_OTHER, and a real unwinder has to look. x86-64 only; elsewhere all is CS_HOST_CFI_OTHER. */
#ifndef CUSAFE_HOST_STACKS_CFI_H
#define CUSAFE_HOST_STACKS_CFI_H

#include "cusafe/layout.h"

enum cs_host_cfi_kind { CS_HOST_CFI_OTHER, CS_HOST_CFI_END /* no caller */, CS_HOST_CFI_FROM_SP, CS_HOST_CFI_FROM_BP };

struct cs_host_cfi {
  enum cs_host_cfi_kind kind;
  cs_u32 size;     /* the caller's stack pointer is so many bytes above this frame's stack or base pointer */
  cs_u32 saved_bp; /* the caller's base pointer lies so many bytes below the caller's stack pointer; 0: unchanged */
};

/* Any thread. pc: inside an instruction, so for a return address the byte in front of it. unloaded: how many libraries have been
 * unloaded in this process so far; other code may lie at their addresses since. */
struct cs_host_cfi cs_host_cfi_at(cs_u64 pc, cs_u64 *unloaded);

#endif
