/* own_stream.c: the stream of CuSafe's own copies in each context. */
#include "host/process/own_stream.h"
#include "host/base/degraded.h"
#include "host/process/context.h"

static void exchange(CUstreamCaptureMode *mode) {
  if (!cs_host_driver()->cuThreadExchangeStreamCaptureMode ||
      !cs_host_driver()->cuThreadExchangeStreamCaptureMode(mode))
    return;
  cs_host_driver()->cuThreadExchangeStreamCaptureMode(mode); /* a failure may be transient */
  cs_host_nothing_lost();                                    /* what a capture forbids fails, and is counted there */
}

CUstreamCaptureMode cs_host_capture_allow(void) {
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  exchange(&mode);
  return mode;
}

void cs_host_capture_restore(CUstreamCaptureMode mode) {
  exchange(&mode);
}

/* The current context's stream, made on first use; NULL if there is no context. */
static CUstream stream_here(void) {
  const struct cs_host_driver *d = cs_host_driver();
  struct cs_host_context *c = cs_host_context_current();
  CUstream made, none = NULL;
  if (!c)
    return NULL;
  CUstream stream = __atomic_load_n(&c->stream, __ATOMIC_ACQUIRE);
  if (stream || d->cuStreamCreate(&made, CU_STREAM_NON_BLOCKING))
    return stream;
  if (__atomic_compare_exchange_n(&c->stream, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  if (d->cuStreamDestroy_v2) /* another thread was first */
    d->cuStreamDestroy_v2(made);
  return none;
}

static _Thread_local struct {
  int depth;
  CUstream stream;
  CUstreamCaptureMode mode;
} entered;

void cs_host_own_enter(void) {
  if (entered.depth++)
    return;
  entered.mode = cs_host_capture_allow();
  entered.stream = stream_here();
}

void cs_host_own_leave(void) {
  if (!--entered.depth)
    cs_host_capture_restore(entered.mode);
}

#define IN_OWN_STREAM(call, ...)                                                                                       \
  cs_host_own_enter();                                                                                                 \
  CUstream stream = entered.stream;                                                                                    \
  CUresult error = stream ? cs_host_driver_of_program()->call(__VA_ARGS__) : CUDA_ERROR_INVALID_CONTEXT;               \
  cs_host_own_leave();                                                                                                 \
  return (int)error;

int cs_host_own_queue_write(CUdeviceptr address, const void *data, size_t bytes) {
  IN_OWN_STREAM(cuMemcpyHtoDAsync_v2, address, data, bytes, stream)
}

/* Copies of zeros, not a fill: a device may run a fill after the program's kernels. */
int cs_host_own_queue_zero(CUdeviceptr address, size_t bytes) {
  static unsigned char zeros[1 << 21]; /* never written: costs no memory */
  int error = 0;
  for (size_t done = 0; done < bytes && !error; done += sizeof zeros)
    error = cs_host_own_queue_write(address + done, zeros, bytes - done < sizeof zeros ? bytes - done : sizeof zeros);
  return error;
}

int cs_host_own_queue_read(void *data, CUdeviceptr address, size_t bytes) {
  IN_OWN_STREAM(cuMemcpyDtoHAsync_v2, data, address, bytes, stream)
}

int cs_host_own_settle(void) {
  IN_OWN_STREAM(cuStreamSynchronize, stream)
}

static int settled(int error) {
  return error ? error : cs_host_own_settle();
}

int cs_host_own_zero(CUdeviceptr address, size_t bytes) {
  return settled(cs_host_own_queue_zero(address, bytes));
}

int cs_host_own_write(CUdeviceptr address, const void *data, size_t bytes) {
  return settled(cs_host_own_queue_write(address, data, bytes));
}

int cs_host_own_read(void *data, CUdeviceptr address, size_t bytes) {
  return settled(cs_host_own_queue_read(data, address, bytes));
}
