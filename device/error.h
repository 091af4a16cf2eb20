/* error.h: the cold side of the device runtime: what happens when a comparison fails. Never inlined. */
#ifndef CUSAFE_DEVICE_ERROR_H
#define CUSAFE_DEVICE_ERROR_H

#include "cusafe/abi.h"

/* Decides exactly (a marked root may have come home), records an error if it is one, and returns the address to use: the
 * plain pointer when the access is in order, a place in the sink otherwise. */
void *__cs_fail(void *pointer, void *root, cs_u32 what, cs_u32 site);

/* The same for a range of any length: NULL when it must not be touched. */
void *__cs_fail_range(void *pointer, void *root, cs_u64 bytes, cs_u32 access, cs_u32 site);

/* An access to a variable whose bounds the caller has found broken; start 0: to null, which was chosen in place of one. Returns
 * an address in the sink. */
void *__cs_fail_named(void *pointer, cs_u64 start, cs_u64 bytes, cs_u64 length, cs_u32 access, cs_u32 site);

/* An index outside an array that is a field or an element: recorded, and nothing else; the access itself is checked too. */
void __cs_fail_field(cs_u64 index, cs_u64 elements, cs_u32 site);
/* The same for an array that is a whole variable; start 0: nobody knows where it is, if it is anywhere. */
void __cs_fail_array(cs_u64 offset, cs_u64 start, cs_u64 bytes, cs_u32 site);

/* A free in a kernel of something that is not allocated: freed before (again = 1), or never (0). */
void __cs_fail_free(void *pointer, cs_u32 again, cs_u32 site);

/* __cs_escape for a pointer that was made of an integer: marked if it is in no buffer's window. */
void *__cs_escape_forged(void *pointer);

/* __cs_escape for a pointer that is outside its root's window, or whose root is. */
void *__cs_escape_far(void *pointer, void *root);

#endif
