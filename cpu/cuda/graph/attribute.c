/* attribute.c: launch attributes that streams and kernel nodes keep. Those that only express a preference are stored
 * and have no effect; those that would change what a kernel does, and that the device does not have, are refused. */
#include "cpu/cuda/graph/attribute.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/stream.h"
#include <stdlib.h>
#include <string.h>

CUresult cs_cpu_attribute_set(CUlaunchAttributeValue **values, CUlaunchAttributeID id,
                              const CUlaunchAttributeValue *value) {
  if (id <= CU_LAUNCH_ATTRIBUTE_IGNORE || id >= CU_LAUNCH_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION &&
      value->clusterDim.x * value->clusterDim.y * value->clusterDim.z > 1)
    return cs_cpu_unsupported("thread block clusters");
  if (id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE && value->deviceUpdatableKernelNode.deviceUpdatable)
    return cs_cpu_unsupported("a device-updatable kernel node");
  if (!*values && !(*values = calloc(CU_LAUNCH_ATTRIBUTE_MAX, sizeof **values)))
    return CUDA_ERROR_OUT_OF_MEMORY;
  (*values)[id] = *value;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_attribute_get(CUlaunchAttributeValue *const *values, CUlaunchAttributeID id,
                              CUlaunchAttributeValue *value) {
  static const CUlaunchAttributeValue none;
  if (id <= CU_LAUNCH_ATTRIBUTE_IGNORE || id >= CU_LAUNCH_ATTRIBUTE_MAX)
    return CUDA_ERROR_INVALID_VALUE;
  *value = *values ? (*values)[id] : none;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_attributes_copy(CUlaunchAttributeValue **to, CUlaunchAttributeValue *const *from) {
  if (!*from) {
    free(*to);
    *to = NULL;
    return CUDA_SUCCESS;
  }
  if (!*to && !(*to = calloc(CU_LAUNCH_ATTRIBUTE_MAX, sizeof **to)))
    return CUDA_ERROR_OUT_OF_MEMORY;
  memmove(*to, *from, CU_LAUNCH_ATTRIBUTE_MAX * sizeof **to);
  return CUDA_SUCCESS;
}

/* --- streams --- */

static int is_stream_attribute(CUlaunchAttributeID id) {
  return id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW || id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY ||
         id == CU_LAUNCH_ATTRIBUTE_PRIORITY || id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP ||
         id == CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN || id == CU_LAUNCH_ATTRIBUTE_NVLINK_UTIL_CENTRIC_SCHEDULING;
}

CUresult cuStreamSetAttribute(CUstream handle, CUstreamAttrID id, const CUstreamAttrValue *value) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && (!value || !is_stream_attribute(id) || id == CU_LAUNCH_ATTRIBUTE_PRIORITY))
    return CUDA_ERROR_INVALID_VALUE; /* a stream's priority is fixed at creation */
  return result == CUDA_SUCCESS ? cs_cpu_attribute_set(&stream->attributes, id, value) : result;
}

CUresult cuStreamGetAttribute(CUstream handle, CUstreamAttrID id, CUstreamAttrValue *value) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && (!value || !is_stream_attribute(id)))
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_attribute_get(&stream->attributes, id, value);
  if (result == CUDA_SUCCESS && id == CU_LAUNCH_ATTRIBUTE_PRIORITY)
    value->priority = stream->priority;
  if (result == CUDA_SUCCESS && id == CU_LAUNCH_ATTRIBUTE_SYNCHRONIZATION_POLICY && !value->syncPolicy)
    value->syncPolicy = CU_SYNC_POLICY_AUTO;
  return result;
}

CUresult cuStreamCopyAttributes(CUstream to_handle, CUstream from_handle) {
  struct cs_cpu_stream *to, *from;
  CUresult result = cs_cpu_enter_stream(to_handle, NULL, &to);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_enter_stream(from_handle, NULL, &from);
  return result == CUDA_SUCCESS && to != from ? cs_cpu_attributes_copy(&to->attributes, &from->attributes) : result;
}
