/* nvshmem.c: stands in for NVSHMEM's host library. */
#define TITLE "NVSHMEM"
#define STATUS "NVSHMEMX_ERROR_NOT_SUPPORTED"
#define RESULT int
enum { SUCCESS, REFUSED = 3 };
#include "cpu/libraries/calls.h"

#include "cpu/libraries/nvshmem.inc"

CS_VOID_CALL(nvshmem_barrier_all, 1)
CS_VOID_CALL(nvshmemx_getmem_on_stream, 1)
CS_VOID_CALL(nvshmemx_putmem_on_stream, 1)
CS_VOID_CALL(nvshmemx_putmem_signal_on_stream, 1)
CS_VOID_CALL(nvshmemx_signal_wait_until_on_stream, 1)
CS_QUIET_CALL(int, nvshmemid_init_status, 0) /* not initialised */
CS_REFUSED_CALL(void *, nvshmem_malloc, 0, 0)
CS_REFUSED_CALL(void *, nvshmem_ptr, 0, 0)
CS_REFUSED_CALL(void *, nvshmemx_mc_ptr, 0, 0)

/* There is nothing to end. */
void nvshmem_free(void *memory);
void nvshmem_free(void *memory) {
  (void)memory;
}

void nvshmemid_hostlib_finalize(void);
void nvshmemid_hostlib_finalize(void) {}

void nvshmem_info_get_version(int *major, int *minor);
void nvshmem_info_get_version(int *major, int *minor) {
  *major = 1;
  *minor = 3;
}
