/* event.c: events. */
#include "runtime.h"

_Static_assert(cudaEventBlockingSync == CU_EVENT_BLOCKING_SYNC && cudaEventDisableTiming == CU_EVENT_DISABLE_TIMING &&
                   cudaEventInterprocess == CU_EVENT_INTERPROCESS,
               "event flags are passed through");

cudaError_t cudaEventCreateWithFlags(cudaEvent_t *out, unsigned flags) {
  CS_ENTER();
  CS_CHECK(out && !(flags & ~(unsigned)(cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess)));
  return cs_done(CU(EventCreate, out, flags));
}

cudaError_t cudaEventCreate(cudaEvent_t *out) {
  return cudaEventCreateWithFlags(out, cudaEventDefault);
}

/* No driver call takes NULL for an event. */
#define CS_EVENT(event)                                                                                                \
  do {                                                                                                                 \
    CS_ENTER();                                                                                                        \
    if (!(event))                                                                                                      \
      return cs_fail(cudaErrorInvalidResourceHandle);                                                                  \
  } while (0)

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  CS_EVENT(event);
  return cs_done(CU(EventRecord, event, stream));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  CS_EVENT(event);
  return cs_done(flags ? CU(EventRecordWithFlags, event, stream, flags) : CU(EventRecord, event, stream));
}

cudaError_t cudaEventQuery(cudaEvent_t event) {
  CS_EVENT(event);
  return cs_done(CU(EventQuery, event));
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  CS_EVENT(event);
  return cs_done(CU(EventSynchronize, event));
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  CS_EVENT(event);
  return cs_done(CU(EventDestroy, event));
}

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t start, cudaEvent_t end) {
  CS_EVENT(start);
  CS_EVENT(end);
  CS_CHECK(milliseconds);
  return cs_done(CU(EventElapsedTime, milliseconds, start, end));
}
