/* runtime.h: the functions that the pass emits calls to, with their contract.
 *
 * All but the cold ones are always inlined. Pointers are generic. A "root" is the pointer that an access was derived
 * from; its bounds are decoded once and compared with the addresses derived from it. */
#ifndef CUSAFE_DEVICE_RUNTIME_H
#define CUSAFE_DEVICE_RUNTIME_H

#include "cusafe/abi.h"
#include "cusafe/access.h"

/* Where the root's buffer starts; 0 for an untagged or marked root. Safe for any value. */
cs_u64 __cs_start(cs_u64 root);

/* The size of the root's buffer in bytes: all ones for an untagged root, which is not checked; 0 for a root that only
 * the cold path can judge (null, marked, a variable's escaping form). With the metadata in the table this is safe for
 * any value; with the metadata in the window, only for a pointer that is about to be dereferenced. */
cs_u64 __cs_size(cs_u64 root);

/* Both, by a call. */
struct cs_decoded {
  cs_u64 start, size;
};
struct cs_decoded __cs_bounds(cs_u64 root);

/* Where a table of virtual functions may be: at any plain address that is not null, so that a call decodes nothing.
 * Starts at CS_NULL_BYTES; the cold path judges all other addresses. */
cs_u64 __cs_size_virtual(void);

/* __cs_size in a module whose kernels allocate and free: the word may change at any time. */
cs_u64 __cs_size_now(cs_u64 root);

/* cs_access_limit and cs_access_aligned, for the pass to call. */
cs_u64 __cs_limit(cs_u64 size, cs_u64 bytes);
cs_u64 __cs_aligned(cs_u64 limit, cs_u64 address, cs_u64 alignment);

/* The address to use for an access: the pointer itself if it is in bounds, what __cs_fail returns otherwise.
 * what: CS_WHAT(bytes, log2 of the alignment, enum cs_access). */
void *__cs_check(void *pointer, void *root, cs_u64 start, cs_u64 limit, cs_u32 what, cs_u32 site);

/* The same by the access's last byte and the buffer's size, which one value of start and size serves for accesses of
 * every length. Right for accesses that are aligned to their length: no other can begin before the buffer's start and
 * end in it, as buffers are aligned to 16 bytes. size: 0 if the address is misaligned. */
void *__cs_check_last(void *pointer, void *root, cs_u64 start, cs_u64 size, cs_u32 what, cs_u32 site);

/* The check where the address is root + offset + index * 2^shift, and the index has 32 bits: the first index in bounds,
 * the number of indices in bounds, and the check by the index's distance from the first. __cs_fail decides what does
 * not fit 32 bits. min: the smallest possible index, so that a large unsigned index is not taken for a negative one. */
cs_i64 __cs_first_index(cs_u64 root, cs_u64 start, cs_u64 offset, cs_u32 shift, cs_i64 min);
cs_u32 __cs_index_count(cs_u64 root, cs_u64 start, cs_u64 offset, cs_u32 shift, cs_i64 min, cs_u64 limit);
/* The same in a kernel's fast form, where it comes from the host: the number of indices from 0 on that are in bounds,
 * and at most `max`. __cs_fail decides for other indices. */
cs_u32 __cs_index_bound(cs_u64 root, cs_u64 start, cs_u64 offset, cs_u32 shift, cs_u64 max, cs_u64 limit);
void *__cs_check_index(void *pointer, void *root, cs_u32 distance, cs_u32 count, cs_u32 what, cs_u32 site);

/* The check of a range whose length is known only at run time: NULL when the range must not be accessed. */
void *__cs_check_range(void *pointer, void *root, cs_u64 start, cs_u64 size, cs_u64 bytes, cs_u32 access, cs_u32 site);

/* The result of such a check for an instruction that accesses memory in any case: an address in the sink instead of
 * NULL. */
void *__cs_or_sink(void *checked, cs_u32 access);

/* The same for an instruction that accepts shared addresses only, on a GPU. empty: it then accesses no bytes, at any
 * shared address; otherwise the kernel stops. */
void *__cs_or_shared(void *checked, cs_u32 empty);

/* The checks of an access and of a range in a variable whose bounds are known at the call. */
void *__cs_check_named(void *pointer, cs_u64 start, cs_u64 bytes, cs_u32 what, cs_u32 site);
void *__cs_check_named_range(void *pointer, cs_u64 start, cs_u64 bytes, cs_u64 length, cs_u32 site);

/* The current size of the local variable in a window: 0 outside its scope. */
cs_u64 __cs_local_size(void *window);

/* What a pointer becomes when it leaves the function that knows its root: marked if it is outside the root's window. */
void *__cs_escape(void *pointer, void *root);

/* The plain address in a pointer, for comparisons, differences, and code that is not checked. */
void *__cs_plain(void *pointer);

/* A pointer as an integer that is stored to memory or combined with integers loaded from there: in its escaping form,
 * as in memory, if it belongs to a variable; the plain address otherwise. */
void *__cs_kept(void *pointer);

#endif
