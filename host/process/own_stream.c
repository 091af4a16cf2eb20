/* own_stream.c: the stream of each context in which CuSafe copies. */
#include "host/process/own_stream.h"
#include "host/process/context.h"

/* A stream capture of the program must neither record CuSafe's copies nor forbid them. */
static void exchange_capture_mode(CUstreamCaptureMode *mode) {
  if (cs_host_driver()->cuThreadExchangeStreamCaptureMode)
    cs_host_driver()->cuThreadExchangeStreamCaptureMode(mode);
}

/* Threads may meet a context together: the first stream that is stored is the one. */
static CUstream make_stream(struct cs_host_context *c) {
  CUstream made, none = NULL;
  if (cs_host_driver()->cuStreamCreate(&made, CU_STREAM_NON_BLOCKING))
    return NULL;
  if (__atomic_compare_exchange_n(&c->stream, &none, made, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
    return made;
  if (cs_host_driver()->cuStreamDestroy_v2)
    cs_host_driver()->cuStreamDestroy_v2(made);
  return none;
}

/* NULL without a context. The caller restores the capture mode. */
static CUstream enter(CUstreamCaptureMode *mode) {
  *mode = CU_STREAM_CAPTURE_MODE_RELAXED;
  exchange_capture_mode(mode);
  struct cs_host_context *c = cs_host_context_current();
  CUstream stream = c ? __atomic_load_n(&c->stream, __ATOMIC_ACQUIRE) : NULL;
  return stream || !c ? stream : make_stream(c);
}

int cs_host_own_write(cs_u64 to, const void *from, cs_u64 bytes) {
  CUstreamCaptureMode mode;
  CUstream stream = enter(&mode);
  CUresult error =
      stream ? cs_host_driver()->cuMemcpyHtoDAsync_v2(to, from, bytes, stream) : CUDA_ERROR_INVALID_CONTEXT;
  exchange_capture_mode(&mode);
  return (int)error;
}

/* Copies of zeros, not a fill: a device may queue a fill after the program's kernels. */
int cs_host_own_zero(cs_u64 to, cs_u64 bytes) {
  static unsigned char zeros[1 << 21]; /* never written: costs no memory */
  int error = 0;
  for (cs_u64 done = 0; done < bytes && !error; done += sizeof zeros)
    error = cs_host_own_write(to + done, zeros, bytes - done < sizeof zeros ? bytes - done : sizeof zeros);
  return error;
}

int cs_host_own_settle(void) {
  CUstreamCaptureMode mode;
  CUstream stream = enter(&mode);
  CUresult error = stream ? cs_host_driver_of_program()->cuStreamSynchronize(stream) : CUDA_ERROR_INVALID_CONTEXT;
  exchange_capture_mode(&mode);
  return (int)error;
}

int cs_host_own_put(cs_u64 to, const void *from, cs_u64 bytes) {
  int error = cs_host_own_write(to, from, bytes);
  return error ? error : cs_host_own_settle();
}

int cs_host_own_get(void *to, cs_u64 from, cs_u64 bytes) {
  CUstreamCaptureMode mode;
  CUstream stream = enter(&mode);
  CUresult error =
      stream ? cs_host_driver()->cuMemcpyDtoHAsync_v2(to, from, bytes, stream) : CUDA_ERROR_INVALID_CONTEXT;
  if (!error)
    error = cs_host_driver_of_program()->cuStreamSynchronize(stream);
  exchange_capture_mode(&mode);
  return (int)error;
}
