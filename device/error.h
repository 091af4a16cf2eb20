/* error.h: the cold path of the device runtime, taken when a comparison fails. Never inlined. */
#ifndef CUSAFE_DEVICE_ERROR_H
#define CUSAFE_DEVICE_ERROR_H

#include "cusafe/abi.h"

/* Decides exactly (a marked root may have returned to its window), records an error if it is one, and returns the
 * address to use: the plain pointer when the access is in bounds, an address in the sink otherwise. */
void *__cs_fail(void *pointer, void *root, cs_u32 what, cs_u32 site);

/* __cs_fail for a range of any length: NULL when it must not be accessed. */
void *__cs_fail_range(void *pointer, void *root, cs_u64 bytes, cs_u32 access, cs_u32 site);

/* An access that the caller has found out of bounds of a variable; start 0: a null pointer that was selected instead of
 * the variable. Returns an address in the sink. */
void *__cs_fail_named(void *pointer, cs_u64 start, cs_u64 bytes, cs_u64 length, cs_u32 access, cs_u32 site);

/* Stops the kernel, and returns all the same: see error.c. */
void __cs_trap(void);

/* On a GPU, for an instruction that accepts shared addresses only and that a warp executes together: the address to use
 * after a failed check. Stops the kernel if `instead`, which the failed check has returned, is not a shared address:
 * the sink is not. */
void *__cs_fail_shared(void *instead);
/* The same for an instruction that then accesses no bytes: any shared address. */
void *__cs_fail_empty(void);

/* An index out of bounds for an array that is a field or an element. Only recorded: the access itself has its own
 * check. */
void __cs_fail_field(cs_u64 index, cs_u64 elements, cs_u32 site);
/* An index out of bounds for an array that is a whole variable; start 0: its address is unknown, or it has none. */
void __cs_fail_array(cs_u64 offset, cs_u64 start, cs_u64 bytes, cs_u32 site);

/* A free in a kernel of memory that is not allocated: already freed (again = 1), or never allocated (0). */
void __cs_fail_free(void *pointer, cs_u32 again, cs_u32 site);

/* An access that races with an earlier one, a trace of race.h, of the block with this number. It is to a variable of
 * `size` bytes from `start` on; start 0: to a buffer, or unknown. */
void __cs_fail_race(void *pointer, void *start, cs_u64 size, cs_u32 length, cs_u64 earlier, cs_u32 block, cs_u32 site);

/* A use of a value that comes from uninitialised bytes. origin: which, as device/init.h has it. variable: the shared
 * variable that they are of (struct cs_init_shared), or 0. other: the number of the thread that has loaded them, or
 * CS_NONE: this one. */
void __cs_fail_init(const cs_u64 *origin, cs_u64 variable, cs_u32 other, cs_u32 site);

/* __cs_escape for a pointer built from an integer: marked if it is in no buffer's window. */
void *__cs_escape_forged(void *pointer);

/* __cs_escape for a pointer that is outside its root's window, or whose root is. */
void *__cs_escape_far(void *pointer, void *root);

#endif
