/* init.h: the functions that the detector of uninitialised memory calls in kernels (pass/detect/detect_init.c). */
#ifndef CUSAFE_DEVICE_INIT_H
#define CUSAFE_DEVICE_INIT_H

#include "cusafe/abi.h"
#include "cusafe/init.h"

/* Whether the shadow of shared memory is mapped: CS_INIT_NEAR_SHADOW, or 0 without a host runtime in this process. */
cs_u64 __cs_init_near(void);

/* At the start of a function: origin is what the others have as an argument. Its words: the address of an uninitialised
 * byte, the site that loaded it or CS_NONE, and the address of the block's struct cs_init_marked. */
void __cs_init_begin(cs_u64 *origin);

/* Where the shadow of memory is loaded from, and where it is stored: memory without a shadow is initialised. near: what
 * __cs_init_near returned. scratch: what a store without an effect may overwrite, as long as the longest access. */
void *__cs_init_from(void *pointer, cs_u64 near);
void *__cs_init_to(void *pointer, cs_u64 near, void *scratch);

/* The shadow of the up to 8 bytes at `pointer` that were loaded: what memory has, without bytes that were written by
 * code that does not maintain the shadow. origin: receives the address of the first uninitialised byte, and the
 * site. */
cs_u64 __cs_init_load(void *pointer, cs_u64 shadow, cs_u64 *origin, cs_u32 site);

/* Bytes of a local variable were loaded, and `shadow` is that of some. is_first: no uninitialised value is ever stored
 * there. The address is unknown, 0. */
void __cs_init_local(cs_u64 shadow, cs_u64 *origin, cs_u32 is_first, cs_u32 site);

/* Copies the shadow of `bytes` bytes; without a source (both NULL) they are initialised. The twins: the shadow of local
 * variables, or NULL. origin, site: as above; CS_NONE: the source is no origin. */
void __cs_init_copy(void *to, void *to_twin, void *from, void *from_twin, cs_u64 bytes, cs_u64 *origin, cs_u32 site);

/* Whether there is a 1 in the shadow of a local variable. */
cs_u64 __cs_init_any(void *twin, cs_u64 bytes);

/* The program uses a value, some of which is uninitialised if `shadow` is not 0. */
void __cs_init_use(cs_u64 shadow, cs_u64 *origin, cs_u32 site);

/* At the start of a function that refers to a shared variable, or to dynamic shared memory: the variable is
 * uninitialised from now on, if this is the first such call in the block. state: the variable's struct cs_init_shared.
 * is_exact: all code that writes to the variable maintains its shadow. site: has the variable's name. */
void __cs_init_shared(void *state, void *start, cs_u64 bytes, cs_u32 is_exact, cs_u32 site);
void __cs_init_dynamic(cs_u32 site);

/* After malloc and before free in a kernel. */
void __cs_init_allocated(void *pointer, cs_u64 bytes);
void __cs_init_freed(void *pointer);

#endif
