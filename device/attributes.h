/* attributes.h: the attributes of the runtime's functions and address spaces, and the state that the host fills in for
 * all of its files. */
#ifndef CUSAFE_DEVICE_ATTRIBUTES_H
#define CUSAFE_DEVICE_ATTRIBUTES_H

#include "cusafe/abi.h"

#define COLD __attribute__((noinline, cold, visibility("default")))
/* A step of a cold function: a call, so that no step keeps registers for the next, and every kernel gets its code
 * once. */
#define STEP static __attribute__((noinline, cold))
#define INLINE __attribute__((always_inline, visibility("default")))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

extern struct cs_state GLOBAL __cs_state;

#endif
