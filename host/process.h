/* process.h: the process's heap and contexts. */
#ifndef CUSAFE_HOST_PROCESS_H
#define CUSAFE_HOST_PROCESS_H

#include "cusafe/abi.h"
#include "host/driver.h"
#include "host/heap.h"

/* What CuSafe keeps for a CUDA context. Never freed; a destroyed one keeps its place with handle NULL. */
struct cs_context {
  CUcontext handle;
  CUdevice device;
  CUstream stream;       /* CuSafe's own copies; does not wait for the program's streams */
  struct cs_ring *ring;  /* shared with the device; NULL until a checked module is loaded */
  cs_u64 ring_device;    /* its address there */
  cs_u64 sink;           /* where contained accesses go */
  cs_u32 drained;        /* records read so far */
  cs_u64 errors;         /* errors counted so far */
  cs_u32 libraries_seen; /* see cs_modules_attach() */
  struct cs_context *next;
};

/* The heap, made at the first call with the placement that the program was built for, or that CUSAFE_OPTIONS names. */
struct cs_heap *cs_process_heap(void);

/* Before any tagged buffer exists, a checked module may still decide the placement. Returns 0 if the process has it now. */
int cs_process_adopt_placement(cs_u32 placement);

/* The calling thread's current context, or NULL. */
struct cs_context *cs_context_current(void);
struct cs_context *cs_context_first(void);
struct cs_context *cs_context_of(CUcontext handle);

/* Makes the context's ring and sink if it has none. Returns 0 or a CUresult. */
int cs_context_open_ring(struct cs_context *context);

/* The context is about to be destroyed: forget its handles. */
void cs_context_gone(struct cs_context *context);

#endif
