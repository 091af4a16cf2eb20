/* pointer.c: queries about addresses, and advice on managed memory. */
#include "host/base/messages.h"
#include "host/hooks/hooks.h"
#include "host/process/advice.h"
#include "host/process/process.h"

/* 1: the address is in *buffer. 0: it is not CuSafe's. -1: it is CuSafe's, but in no live buffer. A sub-allocation is
 * of its buffer's kind. */
static int look_up(CUdeviceptr address, struct cs_host_heap_buffer *buffer) {
  struct cs_host_heap_buffer root;
  if (!cs_host_heap_owns(cs_host_process_heap(), address))
    return 0;
  if (cs_host_heap_find(cs_host_process_heap(), address, buffer) || buffer->freed)
    return -1;
  if (cs_host_is_carved(buffer) && !cs_host_heap_find(cs_host_process_heap(), buffer->root, &root)) {
    buffer->call = root.call;
    buffer->flags = root.flags;
  }
  return address - buffer->start < buffer->size ? 1 : -1;
}

CUresult cs_host_on_cuMemGetAddressRange_v2(PFN_cuMemGetAddressRange_v3020 real, const struct cs_host_call *call,
                                            CUdeviceptr *base, size_t *bytes, CUdeviceptr address) {
  (void)call;
  struct cs_host_heap_buffer buffer;
  int found = look_up(address, &buffer);
  if (found == 0)
    return real(base, bytes, address);
  if (found < 0)
    return CUDA_ERROR_NOT_FOUND;
  if (base)
    *base = buffer.start;
  if (bytes)
    *bytes = buffer.size;
  return CUDA_SUCCESS;
}

/* A context of the device, as the driver returns it for ordinary buffers; it returns none for mapped memory. */
static CUcontext context_on(int device) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (cs_host_context_handle(c) && c->device == device)
      return cs_host_context_handle(c);
  return NULL;
}

static int is_managed(const struct cs_host_heap_buffer *buffer) {
  return buffer->call == CS_HOST_BY_MANAGED;
}

/* Answers attributes that concern the buffer and not its mapping. Returns 1 if it did. */
static int answer(const struct cs_host_heap_buffer *buffer, CUdeviceptr address, CUpointer_attribute attribute,
                  void *data) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(CUmemorytype *)data = cs_host_is_pinned(buffer->call) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    return 1;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *(CUdeviceptr *)data = address;
    return 1;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!is_managed(buffer) && !cs_host_is_pinned(buffer->call))
      return 0;
    *(void **)data = (void *)address;
    return 1;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *(unsigned *)data = (unsigned)is_managed(buffer);
    return 1;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)data = buffer->device;
    return 1;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    *(CUdeviceptr *)data = buffer->start;
    return 1;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    *(size_t *)data = buffer->size;
    return 1;
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *(CUcontext *)data = context_on(buffer->device);
    return 1;
  default:
    return 0;
  }
}

CUresult cs_host_on_cuPointerGetAttribute(PFN_cuPointerGetAttribute_v4000 real, const struct cs_host_call *call,
                                          void *data, CUpointer_attribute attribute, CUdeviceptr address) {
  (void)call;
  struct cs_host_heap_buffer buffer;
  address = cs_strip(address);
  int found = look_up(address, &buffer);
  if (found < 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (found > 0 && data && answer(&buffer, address, attribute, data))
    return CUDA_SUCCESS;
  return real(data, attribute, address);
}

CUresult cs_host_on_cuPointerGetAttributes(PFN_cuPointerGetAttributes_v7000 real, const struct cs_host_call *call,
                                           unsigned count, CUpointer_attribute *attributes, void **data,
                                           CUdeviceptr address) {
  (void)call;
  struct cs_host_heap_buffer buffer;
  address = cs_strip(address);
  CUresult result = real(count, attributes, data, address);
  if (result || look_up(address, &buffer) <= 0)
    return result;
  for (unsigned i = 0; i < count; i++)
    if (data[i])
      answer(&buffer, address, attributes[i], data[i]);
  return CUDA_SUCCESS;
}

/* A buffer of cuMemAlloc has no handle; programs ask to tell it from memory that they may share by its handle. */
CUresult cs_host_on_cuMemRetainAllocationHandle(PFN_cuMemRetainAllocationHandle_v11000 real,
                                                const struct cs_host_call *call, CUmemGenericAllocationHandle *handle,
                                                void *address) {
  (void)call;
  return cs_host_heap_owns(cs_host_process_heap(), (cs_u64)address) ? CUDA_ERROR_INVALID_VALUE : real(handle, address);
}

CUresult cs_host_on_cuIpcGetMemHandle(PFN_cuIpcGetMemHandle_v4010 real, const struct cs_host_call *call,
                                      CUipcMemHandle *handle, CUdeviceptr address) {
  if (!cs_host_heap_owns(cs_host_process_heap(), address))
    return real(handle, address);
  cs_host_message_once(
      0,
      "%s cannot share checked buffers; CUSAFE_OPTIONS=ipc=1 leaves buffers of cuMemAlloc unchecked, so that they "
      "can be shared",
      call->name);
  return CUDA_ERROR_NOT_SUPPORTED;
}

CUresult cs_host_on_cuMemHostGetDevicePointer_v2(PFN_cuMemHostGetDevicePointer_v3020 real,
                                                 const struct cs_host_call *call, CUdeviceptr *device, void *address,
                                                 unsigned flags) {
  (void)call;
  struct cs_host_heap_buffer buffer;
  int found = look_up((CUdeviceptr)address, &buffer);
  if (found == 0)
    return real(device, address, flags);
  if (found < 0 || !cs_host_is_pinned(buffer.call) || !device || flags)
    return CUDA_ERROR_INVALID_VALUE;
  *device = (CUdeviceptr)address;
  return CUDA_SUCCESS;
}

CUresult cs_host_on_cuMemHostGetFlags(PFN_cuMemHostGetFlags_v2030 real, const struct cs_host_call *call,
                                      unsigned *flags, void *address) {
  (void)call;
  struct cs_host_heap_buffer buffer;
  int found = look_up((CUdeviceptr)address, &buffer);
  if (found == 0)
    return real(flags, address);
  if (found < 0 || !cs_host_is_pinned(buffer.call) || !flags)
    return CUDA_ERROR_INVALID_VALUE;
  *flags = buffer.flags;
  return CUDA_SUCCESS;
}

/* Advice on where managed memory should be moves nothing: a checked buffer stays where both the host and the device
 * access it. It is kept, because programs may query it. Returns 1 if the address is the driver's, otherwise 0 and the
 * result for an invalid range; one in a sub-allocation becomes that of its byte in the buffer. */
static int is_drivers(CUdeviceptr *address, size_t bytes, CUresult *result) {
  struct cs_host_heap_buffer buffer;
  int found = look_up(*address, &buffer);
  int valid = found > 0 && is_managed(&buffer) && bytes && bytes <= buffer.size - (*address - buffer.start);
  if (valid)
    *address = buffer.root + (*address - buffer.start);
  *result = valid ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  return found == 0;
}

CUresult cs_host_on_cuMemPrefetchAsync(PFN_cuMemPrefetchAsync_v8000 real, const struct cs_host_call *call,
                                       CUdeviceptr address, size_t bytes, CUdevice device, CUstream stream) {
  (void)call;
  CUresult result;
  if (is_drivers(&address, bytes, &result))
    return real(address, bytes, device, stream);
  return result ? result : cs_host_advice_give(address, bytes, 0, cs_managed_location(device));
}

CUresult cs_host_on_cuMemPrefetchAsync_v2(PFN_cuMemPrefetchAsync_v12020 real, const struct cs_host_call *call,
                                          CUdeviceptr address, size_t bytes, CUmemLocation location, unsigned flags,
                                          CUstream stream) {
  (void)call;
  CUresult result;
  if (is_drivers(&address, bytes, &result))
    return real(address, bytes, location, flags, stream);
  return result ? result : cs_host_advice_give(address, bytes, 0, location);
}

static int any_checked(const CUdeviceptr *addresses, size_t count) {
  size_t i = 0;
  while (addresses && i < count && !cs_host_heap_owns(cs_host_process_heap(), addresses[i]))
    i++;
  return addresses && i < count;
}

/* The location of entry i of a batch: indices[k] is the first entry that locations[k] applies to. */
static size_t location_at(const size_t *indices, size_t location_count, size_t i) {
  size_t k = 0;
  while (k + 1 < location_count && indices[k + 1] <= i)
    k++;
  return k;
}

/* Checked buffers are answered one by one, as in cuMemPrefetchAsync; the driver's go on as batches of one. */
static CUresult prefetch_batch(PFN_cuMemPrefetchBatchAsync_v13000 real, CUdeviceptr *addresses, size_t *bytes,
                               size_t count, CUmemLocation *locations, size_t *indices, size_t location_count,
                               unsigned long long flags, CUstream stream) {
  CUresult result = CUDA_SUCCESS;
  size_t first = 0;
  if (!any_checked(addresses, count) || !bytes || !locations || !indices || !location_count || flags)
    return real(addresses, bytes, count, locations, indices, location_count, flags, stream);
  for (size_t i = 0; i < count && !result; i++) {
    CUmemLocation *location = &locations[location_at(indices, location_count, i)];
    CUdeviceptr address = addresses[i];
    if (is_drivers(&address, bytes[i], &result))
      result = real(&addresses[i], &bytes[i], 1, location, &first, 1, flags, stream);
    else if (!result)
      result = cs_host_advice_give(address, bytes[i], 0, *location);
  }
  return result;
}

CUresult cs_host_on_cuMemPrefetchBatchAsync(PFN_cuMemPrefetchBatchAsync_v13000 real, const struct cs_host_call *call,
                                            CUdeviceptr *addresses, size_t *bytes, size_t count,
                                            CUmemLocation *locations, size_t *indices, size_t location_count,
                                            unsigned long long flags, CUstream stream) {
  (void)call;
  return prefetch_batch(real, addresses, bytes, count, locations, indices, location_count, flags, stream);
}

/* The contents of discarded memory are undefined; a checked buffer keeps them. */
CUresult cs_host_on_cuMemDiscardAndPrefetchBatchAsync(PFN_cuMemDiscardAndPrefetchBatchAsync_v13000 real,
                                                      const struct cs_host_call *call, CUdeviceptr *addresses,
                                                      size_t *bytes, size_t count, CUmemLocation *locations,
                                                      size_t *indices, size_t location_count, unsigned long long flags,
                                                      CUstream stream) {
  (void)call;
  return prefetch_batch(real, addresses, bytes, count, locations, indices, location_count, flags, stream);
}

CUresult cs_host_on_cuMemDiscardBatchAsync(PFN_cuMemDiscardBatchAsync_v13000 real, const struct cs_host_call *call,
                                           CUdeviceptr *addresses, size_t *bytes, size_t count,
                                           unsigned long long flags, CUstream stream) {
  (void)call;
  CUresult result = CUDA_SUCCESS;
  if (!any_checked(addresses, count) || !bytes || flags)
    return real(addresses, bytes, count, flags, stream);
  for (size_t i = 0; i < count && !result; i++) {
    CUdeviceptr address = addresses[i];
    if (is_drivers(&address, bytes[i], &result))
      result = real(&addresses[i], &bytes[i], 1, flags, stream);
  }
  return result;
}

CUresult cs_host_on_cuMemAdvise(PFN_cuMemAdvise_v8000 real, const struct cs_host_call *call, CUdeviceptr address,
                                size_t bytes, CUmem_advise advice, CUdevice device) {
  (void)call;
  CUresult result;
  if (is_drivers(&address, bytes, &result))
    return real(address, bytes, advice, device);
  return result ? result : cs_host_advice_give(address, bytes, advice, cs_managed_location(device));
}

CUresult cs_host_on_cuMemAdvise_v2(PFN_cuMemAdvise_v12020 real, const struct cs_host_call *call, CUdeviceptr address,
                                   size_t bytes, CUmem_advise advice, CUmemLocation location) {
  (void)call;
  CUresult result;
  if (is_drivers(&address, bytes, &result))
    return real(address, bytes, advice, location);
  return result ? result : cs_host_advice_give(address, bytes, advice, location);
}

/* A length of 0 means the whole buffer. */
CUresult cs_host_on_cuStreamAttachMemAsync(PFN_cuStreamAttachMemAsync_v6000 real, const struct cs_host_call *call,
                                           CUstream stream, CUdeviceptr address, size_t bytes, unsigned flags) {
  (void)call;
  CUresult result;
  return is_drivers(&address, bytes ? bytes : 1, &result) ? real(stream, address, bytes, flags) : result;
}

CUresult cs_host_on_cuMemRangeGetAttribute(PFN_cuMemRangeGetAttribute_v8000 real, const struct cs_host_call *call,
                                           void *data, size_t size, CUmem_range_attribute attribute,
                                           CUdeviceptr address, size_t bytes) {
  (void)call;
  CUresult result;
  if (is_drivers(&address, bytes, &result))
    return real(data, size, attribute, address, bytes);
  return result ? result : cs_host_advice_ask(data, size, attribute, address, bytes);
}

CUresult cs_host_on_cuMemRangeGetAttributes(PFN_cuMemRangeGetAttributes_v8000 real, const struct cs_host_call *call,
                                            void **data, size_t *sizes, CUmem_range_attribute *attributes, size_t count,
                                            CUdeviceptr address, size_t bytes) {
  (void)call;
  CUresult result;
  if (is_drivers(&address, bytes, &result))
    return real(data, sizes, attributes, count, address, bytes);
  if (!data || !sizes || !attributes || !count)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count && !result; i++)
    result = cs_host_advice_ask(data[i], sizes[i], attributes[i], address, bytes);
  return result;
}
