/* process.h: the process's heap and contexts. */
#ifndef CUSAFE_HOST_PROCESS_PROCESS_H
#define CUSAFE_HOST_PROCESS_PROCESS_H

#include "cusafe/abi.h"
#include "host/base/driver.h"
#include "host/heap/heap.h"

#define CS_HOST_OBJECTS (CS_OBJECT_NUMBER_MASK + 1)

/* What CuSafe keeps for a CUDA context. Never freed; a destroyed one keeps its place with handle NULL. */
struct cs_host_context {
  CUcontext handle;
  CUdevice device;
  CUstream stream; /* CuSafe's own copies; does not wait for the program's streams */
  cs_u64 sink;     /* where contained accesses go; 0 until a checked module is loaded */
  cs_u64 objects;  /* struct cs_object[CS_HOST_OBJECTS], the variables of all its modules */
  cs_u64 objects_used[CS_HOST_OBJECTS / 64];
  cs_u64 heap;                 /* struct cs_device_heap; 0 until a module whose kernels allocate is loaded */
  struct cs_device_heap slabs; /* what it says */
  cs_u32 libraries_seen;       /* see cs_host_modules_attach() */
  struct cs_host_context *next;
};

/* The heap, made at the first call with the placement that the program was built for, or that CUSAFE_OPTIONS names. */
struct cs_host_heap *cs_host_process_heap(void);

/* Before any tagged buffer exists, a checked module may still decide the placement. Returns 0 if the process has it now. */
int cs_host_process_adopt_placement(cs_u32 placement);

/* The calling thread's current context, or NULL. */
struct cs_host_context *cs_host_context_current(void);
struct cs_host_context *cs_host_context_first(void);
struct cs_host_context *cs_host_context_of(CUcontext handle);

/* Makes what the context's checked modules share, if that was not done. Returns 0 or a CUresult. */
int cs_host_context_open(struct cs_host_context *context);

/* Makes the heap of kernels, if that was not done. Returns 0 or a CUresult. */
int cs_host_context_open_heap(struct cs_host_context *context);

/* Numbers for a module's variables: the first of count free ones in a row, or CS_HOST_OBJECTS if there are none. */
cs_u32 cs_host_context_take_objects(struct cs_host_context *context, cs_u32 count);
void cs_host_context_give_objects(struct cs_host_context *context, cs_u32 first, cs_u32 count);

/* Waits for the context's work, if checked code may be among it. */
CUresult cs_host_context_wait(struct cs_host_context *context);

/* The context is about to be destroyed: forget its handles. */
void cs_host_context_gone(struct cs_host_context *context);

#endif
