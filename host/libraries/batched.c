/* batched.c: reads arrays of pointers to matrices from device memory, where nothing can be writing them. */
#include "host/libraries/batched.h"
#include "host/collect/nvidia.h"
#include "host/modules/kernel.h"
#include "host/process/own_stream.h"
#include "host/process/stream.h"
#include <sched.h>
#include <time.h>

enum { CHUNK = 512, WAIT_NS = 1000000 };

static long long now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Streams that wait for others: an event shows that those have ended, too. Only copies can delay it where no kernel
 * runs; it has little time even so. */
static int has_event_ended(CUstream stream) {
  const struct cs_host_driver *d = cs_host_driver();
  CUevent event;
  CUresult result = CUDA_ERROR_NOT_READY;
  if (!cs_host_kernels_idle() || d->cuEventCreate(&event, CU_EVENT_DISABLE_TIMING))
    return 0;
  if (!d->cuEventRecord(event, stream))
    for (long long end = now() + WAIT_NS; (result = d->cuEventQuery(event)) == CUDA_ERROR_NOT_READY && now() < end;)
      sched_yield();
  d->cuEventDestroy_v2(event);
  return result == CUDA_SUCCESS;
}

static int is_settled(void *handle) {
  static void *slot;
  int (*stream_of)(void *, CUstream *) =
      (int (*)(void *, CUstream *))cs_host_nvidia_function_once(CS_HOST_CUBLAS, "cublasGetStream_v2", &slot);
  CUstream stream;
  if (!stream_of || stream_of(handle, &stream) || cs_host_is_capturing(stream))
    return 0;
  CUstreamCaptureMode mode = cs_host_capture_allow();
  int is_settled = cs_host_has_ended(stream) || has_event_ended(stream);
  cs_host_capture_restore(mode);
  return is_settled;
}

struct cs_host_span cs_host_batched(void *handle, struct cs_host_span one, int64_t count) {
  cs_u64 array = one.base, pointers[CHUNK];
  struct cs_host_span whole = CS_HOST_READS(array, cs_host_items(sizeof *pointers, (cs_u64)count));
  if (count <= 0 || !one.width)
    return (struct cs_host_span){0};
  if (!cs_host_span_is_valid(&whole))
    return whole;
  if (!is_settled(handle))
    return (struct cs_host_span){0};
  for (int64_t i = 0; i < count; i++) {
    cs_u64 here = (cs_u64)(count - i < CHUNK ? count - i : CHUNK) * sizeof *pointers;
    if (i % CHUNK == 0 && cs_host_own_read(pointers, array + (cs_u64)i * sizeof *pointers, here))
      break;
    one.base = cs_strip(pointers[i % CHUNK]);
    if (one.base && !cs_host_span_is_valid(&one))
      return one;
  }
  return (struct cs_host_span){0};
}
