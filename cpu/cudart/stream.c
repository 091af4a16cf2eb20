/* stream.c: streams, and host functions that run in them. */
#include "cpu/cudart/runtime.h"

#include <stdlib.h>

_Static_assert(cudaStreamNonBlocking == CU_STREAM_NON_BLOCKING, "stream flags are passed through");
_Static_assert(sizeof(cudaLaunchAttributeValue) == sizeof(CUlaunchAttributeValue), "attribute values, too");

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *out, unsigned flags) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && !(flags & ~(unsigned)cudaStreamNonBlocking));
  return cs_cudart_done(CU(StreamCreate, out, flags));
}

cudaError_t cudaStreamCreate(cudaStream_t *out) {
  return cudaStreamCreateWithFlags(out, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t *out, unsigned flags, int priority) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && !(flags & ~(unsigned)cudaStreamNonBlocking));
  return cs_cudart_done(CU(StreamCreateWithPriority, out, flags, priority));
}

/* Programs may not destroy the default streams. */
static int is_default(cudaStream_t stream) {
  return !stream || stream == cudaStreamLegacy || stream == cudaStreamPerThread;
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  CS_CUDART_ENTER();
  if (is_default(stream))
    return cs_cudart_fail(cudaErrorInvalidResourceHandle);
  return cs_cudart_done(CU(StreamDestroy, stream));
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(StreamSynchronize, stream));
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(StreamQuery, stream));
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  CS_CUDART_ENTER();
  if (!event)
    return cs_cudart_fail(cudaErrorInvalidResourceHandle);
  return cs_cudart_done(CU(StreamWaitEvent, stream, event, flags));
}

/* The driver's callback has the driver's error; one of these lives from the call until the callback has run. */
struct callback {
  cudaStreamCallback_t function;
  void *data;
};

static void CUDA_CB run_callback(CUstream stream, CUresult status, void *data) {
  struct callback callback = *(struct callback *)data;
  free(data);
  callback.function(stream, cs_cudart_error(status), callback.data);
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(function && flags == 0);
  struct callback *callback = malloc(sizeof *callback);
  if (!callback)
    return cs_cudart_fail(cudaErrorMemoryAllocation);
  *callback = (struct callback){function, data};
  CUresult result = CU(StreamAddCallback, stream, run_callback, callback, 0);
  if (result != CUDA_SUCCESS)
    free(callback);
  return cs_cudart_done(result); // NOLINT(clang-analyzer-unix.Malloc): the driver has it now, and run_callback frees it
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void *data) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(function);
  return cs_cudart_done(CU(LaunchHostFunc, stream, function, data));
}

cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void *pointer, size_t size, unsigned flags) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(StreamAttachMemAsync, stream, cs_cudart_address(pointer), size, flags));
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int *priority) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(priority);
  return cs_cudart_done(CU(StreamGetPriority, stream, priority));
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned *flags) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(flags);
  return cs_cudart_done(CU(StreamGetFlags, stream, flags));
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long *id) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(id);
  return cs_cudart_done(CU(StreamGetId, stream, id));
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int *ordinal) {
  CUdevice device, candidate;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(ordinal);
  CUresult result = CU(StreamGetDevice, stream, &device);
  if (result != CUDA_SUCCESS)
    return cs_cudart_done(result);
  for (int i = 0; cs_cudart_driver_device(i, &candidate) == cudaSuccess; i++)
    if (candidate == device) {
      *ordinal = i;
      return cudaSuccess;
    }
  return cs_cudart_fail(cudaErrorInvalidDevice);
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(StreamCopyAttributes, to, from));
}

cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaLaunchAttributeID which, cudaLaunchAttributeValue *value) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(value);
  return cs_cudart_done(CU(StreamGetAttribute, stream, (CUstreamAttrID)which, (CUstreamAttrValue *)value));
}

cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaLaunchAttributeID which,
                                   const cudaLaunchAttributeValue *value) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(value);
  return cs_cudart_done(CU(StreamSetAttribute, stream, (CUstreamAttrID)which, (const CUstreamAttrValue *)value));
}
