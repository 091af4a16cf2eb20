/* shared.c: makes the sink, the table of variables and the heap of kernels. */
#include "host/process/shared.h"
#include "host/heap/slab.h"
#include "host/process/own_stream.h"
#include "host/process/process.h"

/* Contained reads return the zeros of the sink; a variable that is not in the table has no bounds. */
static int make_zeroed(CUdeviceptr *address, size_t bytes) {
  const struct cs_host_driver *d = cs_host_driver();
  CUresult error = d->cuMemAlloc_v2(address, bytes);
  return error ? (int)error : cs_host_own_zero(*address, bytes);
}

int cs_host_context_open(struct cs_host_context *c) {
  CUdeviceptr sink, objects;
  if (c->sink)
    return 0;
  int error = make_zeroed(&sink, CS_SINK_BYTES);
  if (!error)
    error = make_zeroed(&objects, CS_HOST_OBJECTS * sizeof(struct cs_object));
  if (error)
    return error;
  c->objects = objects;
  c->sink = sink;
  return 0;
}

/* Each size gets twice what the program may allocate in all, because a window is up to twice as large as its buffer. */
static cs_u64 slab_bytes(void) {
  size_t limit = 0;
  cs_u64 bytes = (cs_u64)16 << 20;
  if (cs_host_driver()->cuCtxGetLimit &&
      cs_host_driver()->cuCtxGetLimit(&limit, CU_LIMIT_MALLOC_HEAP_SIZE) == CUDA_SUCCESS)
    while (bytes < 2 * (cs_u64)limit)
      bytes *= 2;
  return bytes;
}

int cs_host_context_open_heap(struct cs_host_context *c) {
  CUdeviceptr heap;
  if (c->heap)
    return 0;
  int error = make_zeroed(&heap, sizeof c->slabs);
  if (!error)
    error = cs_host_heap_slabs(cs_host_process_heap(), (int)c->device, slab_bytes(), &c->slabs);
  if (!error)
    error = cs_host_own_write(heap, &c->slabs, sizeof c->slabs);
  if (!error)
    c->heap = heap;
  return error;
}
