/* attributes.h: what the runtime's functions and memory are marked with, and the state that the host has filled for all of them. */
#ifndef CUSAFE_DEVICE_ATTRIBUTES_H
#define CUSAFE_DEVICE_ATTRIBUTES_H

#include "cusafe/abi.h"

#define COLD __attribute__((noinline, cold, visibility("default")))
#define INLINE __attribute__((always_inline, visibility("default")))
#define GLOBAL __attribute__((address_space(1)))
#define SHARED __attribute__((address_space(3)))

extern struct cs_state GLOBAL __cs_state;

#endif
