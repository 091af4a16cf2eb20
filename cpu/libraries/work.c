/* work.c: loads libraries that compute, and submits their work as host functions of a stream. */
#include "cpu/libraries/work.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
  const char *file, *missing;
  _Atomic(void *) handle;
} engines[] = {
#define CS_ENGINE(name, file, package, product, users)                                                                 \
  {file, product " is not installed, with which the CPU device computes it: install Debian's package " package, NULL},
#include "cusafe/engines.inc"
};

void *cs_library_function(enum cs_engine engine, const char *name, _Atomic(void *) *slot) {
  void *function = atomic_load(slot);
  if (function)
    return function;
  void *handle = atomic_load(&engines[engine].handle);
  if (!handle && (handle = dlopen(engines[engine].file, RTLD_NOW | RTLD_LOCAL)))
    atomic_store(&engines[engine].handle, handle);
  function = handle ? dlsym(handle, name) : NULL;
  atomic_store(slot, function);
  return function;
}

const char *cs_library_missing(enum cs_engine engine) {
  return engines[engine].missing;
}

int cs_library_start(void) {
  CUcontext context = NULL;
  CUdevice device;
  if (cuInit(0) || cuCtxGetCurrent(&context))
    return -1;
  if (context)
    return 0;
  if (cuDeviceGet(&device, 0) || cuDevicePrimaryCtxRetain(&context, device))
    return -1;
  return cuCtxSetCurrent(context) ? -1 : 0;
}

void *cs_library_allocate(size_t bytes) {
  void *memory = malloc(bytes ? bytes : 1);
  if (memory)
    return memory;
  fprintf(stderr, "cusafe: a library of the CPU device has no memory for %zu bytes.\n", bytes);
  abort();
}

struct work {
  void (*run)(void *arguments);
  int is_kept; /* a graph owns it, and runs it each time it is launched */
  _Alignas(max_align_t) unsigned char arguments[];
};

static void run_work(void *data) {
  struct work *work = data;
  work->run(work->arguments);
  if (!work->is_kept)
    free(work);
}

/* Leaves the work to the graph that the stream records. */
static int keep(CUstream stream, struct work *work) {
  CUstreamCaptureStatus status;
  cuuint64_t id;
  CUgraph graph;
  CUuserObject object;
  if (cuStreamGetCaptureInfo(stream, &status, &id, &graph, NULL, NULL, NULL) ||
      status != CU_STREAM_CAPTURE_STATUS_ACTIVE ||
      cuUserObjectCreate(&object, work, free, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC))
    return -1;
  work->is_kept = 1;
  if (!cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE))
    return 0;
  cuUserObjectRelease(object, 1); /* frees the work */
  return 1;
}

int cs_library_submit(CUstream stream, void (*run)(void *arguments), const void *arguments, size_t size) {
  CUstreamCaptureStatus status;
  if (cuStreamIsCapturing(stream, &status))
    return -1;
  struct work *work = malloc(sizeof *work + size);
  if (!work)
    return -1;
  *work = (struct work){run, 0};
  memcpy(work->arguments, arguments, size);
  int failed = status == CU_STREAM_CAPTURE_STATUS_NONE ? 0 : keep(stream, work);
  if (failed > 0)
    return -1;
  if (!failed && !cuLaunchHostFunc(stream, run_work, work))
    return 0;
  if (!work->is_kept)
    free(work);
  return -1;
}

int cs_library_submit_and_wait(CUstream stream, void (*run)(void *arguments), const void *arguments, size_t size) {
  return cs_library_submit(stream, run, arguments, size) || cuStreamSynchronize(stream) ? -1 : 0;
}
