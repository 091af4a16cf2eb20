/* init.h: the functions that the detector of uninitialised memory calls in kernels (pass/detect/detect_init.c). */
#ifndef CUSAFE_DEVICE_INIT_H
#define CUSAFE_DEVICE_INIT_H

#include "cusafe/abi.h"
#include "cusafe/init.h"

/* Where the shadow of memory is loaded from, and where it is stored: memory without a shadow is initialised. scratch:
 * what a store without an effect may overwrite, as long as the longest access. */
void *__cs_init_from(void *pointer);
void *__cs_init_to(void *pointer, void *scratch);

/* The shadow of the up to 8 bytes at `pointer` that were loaded: what memory has, without bytes that were written by
 * code that does not maintain the shadow. origin: receives the address of the first uninitialised byte, and the
 * site. */
cs_u64 __cs_init_load(void *pointer, cs_u64 shadow, cs_u64 *origin, cs_u32 site);

/* Copies the shadow of `bytes` bytes; without a source (both NULL) they are initialised. The twins: the shadow of local
 * variables, or NULL. origin, site: as above. */
void __cs_init_copy(void *to, void *to_twin, void *from, void *from_twin, cs_u64 bytes, cs_u64 *origin, cs_u32 site);

/* Whether there is a 1 in the shadow of a local variable. */
cs_u64 __cs_init_any(void *twin, cs_u64 bytes);

/* The program uses a value, some of which is uninitialised if `shadow` is not 0. */
void __cs_init_use(cs_u64 shadow, cs_u64 *origin, cs_u32 site);

#endif
