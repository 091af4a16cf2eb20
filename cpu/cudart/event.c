/* event.c: events. */
#include "cpu/cudart/runtime.h"

_Static_assert(cudaEventBlockingSync == CU_EVENT_BLOCKING_SYNC && cudaEventDisableTiming == CU_EVENT_DISABLE_TIMING &&
                   cudaEventInterprocess == CU_EVENT_INTERPROCESS,
               "event flags are passed through");

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out &&
                  !(flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)));
  return cs_cudart_done(CU(EventCreate, out, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *out) {
  return cudaEventCreateWithFlags(out, cudaEventDefault);
}

/* No driver call takes NULL for an event. */
#define CS_CUDART_EVENT(event)                                                                                         \
  do {                                                                                                                 \
    CS_CUDART_ENTER();                                                                                                 \
    if (!(event))                                                                                                      \
      return cs_cudart_fail(cudaErrorInvalidResourceHandle);                                                           \
  } while (0)

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CS_CUDART_EVENT(event);
  return cs_cudart_done(CU(EventRecord, event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  CS_CUDART_EVENT(event);
  return cs_cudart_done(flags ? CU(EventRecordWithFlags, event, stream, flags) : CU(EventRecord, event, stream));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  CS_CUDART_EVENT(event);
  return cs_cudart_done(CU(EventQuery, event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  CS_CUDART_EVENT(event);
  return cs_cudart_done(CU(EventSynchronize, event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  CS_CUDART_EVENT(event);
  return cs_cudart_done(CU(EventDestroy, event));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  CS_CUDART_EVENT(start);
  CS_CUDART_EVENT(end);
  CS_CUDART_CHECK(milliseconds);
  return cs_cudart_done(CU(EventElapsedTime, milliseconds, start, end));
}
