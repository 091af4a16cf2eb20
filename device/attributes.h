/* attributes.h: the attributes of the runtime's functions and address spaces, and the state that the host fills in for
 * all of its files. */
#ifndef CUSAFE_DEVICE_ATTRIBUTES_H
#define CUSAFE_DEVICE_ATTRIBUTES_H

#include "cusafe/abi.h"

#ifdef __bpf__
#include "device/on_machine.h"
#else

#define COLD __attribute__((noinline, cold, visibility("default")))
/* A step of a cold function: a call, so that no step keeps registers for the next, and every kernel gets its code
 * once. */
#define STEP static __attribute__((noinline, cold))
#define INLINE __attribute__((always_inline, visibility("default")))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))
/* The state of a cold function stays in memory: a kernel keeps its live values in the registers that the cold path does
 * not use, so every register used here is one fewer for code without errors. */
#define KEPT volatile

extern struct cs_state GLOBAL __cs_state;
extern cs_fault_counts GLOBAL __cs_counts[]; /* defined by the pass, one row per site */

#endif

#endif
