/* memory.c: allocations and frees. */
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/findings/drain.h"
#include "host/heap/account.h"
#include "host/heap/carve.h"
#include "host/heap/reclaim.h"
#include "host/hooks/graph_memory.h"
#include "host/hooks/hooks.h"
#include "host/hooks/sync.h"
#include "host/modules/canary.h"
#include "host/modules/unchecked.h"
#include "host/process/advice.h"
#include "host/process/order.h"
#include "host/process/own_stream.h"
#include "host/process/pending.h"
#include "host/process/pool.h"
#include "host/process/registered.h"
#include "host/process/stream.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include <stdlib.h>
#include <string.h>

enum { PITCH_ALIGNMENT = 512 };

enum { NOT_OURS = CS_HOST_HEAP_UNTAGGED - 1 };

/* Whether the real call has to serve the request: for NOT_OURS, because CuSafe never checks such a buffer, or the
 * driver knows what is wrong with the arguments; for any other error but lack of memory, because a failure that
 * concerns only CuSafe must not reach the program. Then the buffer should have been checked. */
static int is_for_driver(int error) {
  return error && error != CUDA_ERROR_OUT_OF_MEMORY;
}

/* Returns 0, NOT_OURS, CS_HOST_HEAP_UNTAGGED or a CUresult. */
static int alloc_tagged(CUdeviceptr *address, size_t bytes, cs_u32 call, int location) {
  cs_u64 made;
  if (!address || !bytes)
    return NOT_OURS;
  if (location < 0)
    return CS_HOST_HEAP_UNTAGGED; /* the context is unknown; without one, the real call fails, too */
  cs_u32 stack = cs_host_stack_here();
  int error = cs_host_heap_alloc(cs_host_process_heap(), location, bytes, call, stack, &made);
  if (error && error != CS_HOST_HEAP_UNTAGGED && error != CS_HOST_HEAP_OVER_LIMIT) {
    if (error == CUDA_ERROR_OUT_OF_MEMORY)
      cs_host_pending_collect(1);
    error = cs_host_heap_alloc(cs_host_process_heap(), location, bytes, call, stack, &made);
  }
  if (error)
    return error;
  cs_host_nothing_lost(); /* also after a second try, or in a larger window */
  *address = made;
  cs_host_canary_allocated(made);
  return 0;
}

static int current_device(void) {
  struct cs_host_context *context = cs_host_context_current();
  return context ? context->device : -1;
}

/* Counts a buffer that the real call served; error: why, see is_for_driver(). */
static CUresult unchecked(CUresult result, int error) {
  if (!result)
    cs_host_unchecked(CS_HOST_UNCHECKED_BUFFERS);
  if (!result && error != NOT_OURS)
    cs_host_degraded(CS_DEGRADED_BUFFERS);
  return result;
}

CUresult cs_host_on_cuMemAlloc_v2(PFN_cuMemAlloc_v3020 real, const struct cs_host_call *call, CUdeviceptr *address,
                                  size_t bytes) {
  (void)call;
  if (cs_options()->ipc)
    return unchecked(real(address, bytes), NOT_OURS);
  int error = alloc_tagged(address, bytes, CS_HOST_BY_ALLOC, current_device());
  return is_for_driver(error) ? unchecked(real(address, bytes), error) : (CUresult)error;
}

CUresult cs_host_on_cuMemAllocPitch_v2(PFN_cuMemAllocPitch_v3020 real, const struct cs_host_call *call,
                                       CUdeviceptr *address, size_t *pitch, size_t width, size_t height,
                                       unsigned element) {
  (void)call;
  size_t row = (width + PITCH_ALIGNMENT - 1) / PITCH_ALIGNMENT * PITCH_ALIGNMENT, bytes;
  int valid = pitch && width && height && (element == 4 || element == 8 || element == 16) && row >= width;
  int error = valid && !__builtin_mul_overflow(row, height, &bytes)
                  ? alloc_tagged(address, bytes, CS_HOST_BY_PITCH, current_device())
                  : NOT_OURS;
  if (is_for_driver(error))
    return unchecked(real(address, pitch, width, height, element), error);
  if (!error)
    *pitch = row;
  return (CUresult)error;
}

static int alloc_in_stream(CUdeviceptr *address, size_t bytes, cs_u32 by, struct cs_host_pool_place pool) {
  cs_host_pending_collect(0);
  if (pool.device == CS_HOST_POOL_OF_DRIVER)
    return NOT_OURS;
  int error = alloc_tagged(address, bytes, CS_HOST_BY_WITH(by, pool.account), pool.device);
  return error == CS_HOST_HEAP_OVER_LIMIT ? CUDA_ERROR_OUT_OF_MEMORY : error;
}

/* A capture records a node that allocates. */
CUresult cs_host_on_cuMemAllocAsync(PFN_cuMemAllocAsync_v11020 real, const struct cs_host_call *call,
                                    CUdeviceptr *address, size_t bytes, CUstream stream) {
  struct cs_host_pool_place pool = cs_host_pool_current(current_device());
  if (address && cs_host_is_capturing(cs_host_stream_of(call, stream))) {
    struct cs_host_graph_buffer *buffer = cs_host_capture_allocates(pool.device, &bytes);
    return cs_host_node_allocated(real(address, bytes, stream), buffer, address);
  }
  int error = alloc_in_stream(address, bytes, CS_HOST_BY_ASYNC, pool);
  if (!error && address)
    cs_host_order_allocated(*address, cs_host_stream_of(call, stream));
  return is_for_driver(error) ? unchecked(real(address, bytes, stream), error) : (CUresult)error;
}

CUresult cs_host_on_cuMemAllocFromPoolAsync(PFN_cuMemAllocFromPoolAsync_v11020 real, const struct cs_host_call *call,
                                            CUdeviceptr *address, size_t bytes, CUmemoryPool pool, CUstream stream) {
  struct cs_host_pool_place place = {-1, 0};
  if (current_device() >= 0)
    place = cs_host_pool_place(pool);
  if (address && cs_host_is_capturing(cs_host_stream_of(call, stream))) {
    struct cs_host_graph_buffer *buffer = cs_host_capture_allocates(place.device, &bytes);
    return cs_host_node_allocated(real(address, bytes, pool, stream), buffer, address);
  }
  int error = alloc_in_stream(address, bytes, CS_HOST_BY_POOL, place);
  if (!error && address)
    cs_host_order_allocated(*address, cs_host_stream_of(call, stream));
  return is_for_driver(error) ? unchecked(real(address, bytes, pool, stream), error) : (CUresult)error;
}

CUresult cs_host_on_cuMemPoolCreate(PFN_cuMemPoolCreate_v11020 real, const struct cs_host_call *call,
                                    CUmemoryPool *pool, const CUmemPoolProps *properties) {
  (void)call;
  CUresult result = real(pool, properties);
  if (!result && pool && properties)
    cs_host_pool_created(*pool, properties);
  return result;
}

CUresult cs_host_on_cuMemPoolImportFromShareableHandle(PFN_cuMemPoolImportFromShareableHandle_v11020 real,
                                                       const struct cs_host_call *call, CUmemoryPool *pool,
                                                       void *handle, CUmemAllocationHandleType type,
                                                       unsigned long long flags) {
  (void)call;
  CUresult result = real(pool, handle, type, flags);
  if (!result && pool)
    cs_host_pool_imported(*pool);
  return result;
}

CUresult cs_host_on_cuMemPoolDestroy(PFN_cuMemPoolDestroy_v11020 real, const struct cs_host_call *call,
                                     CUmemoryPool pool) {
  (void)call;
  struct cs_host_pool *taken = cs_host_pool_take(pool);
  CUresult result = real(pool);
  cs_host_pool_end(taken, !result);
  return result;
}

/* A pool's checked buffers count as its memory, although the heap provides it. */
CUresult cs_host_on_cuMemPoolGetAttribute(PFN_cuMemPoolGetAttribute_v11020 real, const struct cs_host_call *call,
                                          CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  (void)call;
  CUresult result = real(pool, attribute, value);
  if (result)
    return result;
  struct cs_host_account account = cs_host_account_read(cs_host_pool_place(pool).account);
  cuuint64_t *total = value;
  if (attribute == CU_MEMPOOL_ATTR_USED_MEM_CURRENT || attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT)
    *total += account.used;
  else if (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH)
    *total += account.used_high;
  else if (attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH)
    *total += account.reserved_high;
  return result;
}

CUresult cs_host_on_cuMemPoolSetAttribute(PFN_cuMemPoolSetAttribute_v11020 real, const struct cs_host_call *call,
                                          CUmemoryPool pool, CUmemPool_attribute attribute, void *value) {
  (void)call;
  CUresult result = real(pool, attribute, value);
  if (!result && (attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH || attribute == CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH))
    cs_host_account_reset_high(cs_host_pool_place(pool).account, attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH);
  return result;
}

/* Errors of a driver that cannot map memory for the host and a device. */
static int is_lack_of_support(int error) {
  return error == CUDA_ERROR_NOT_SUPPORTED || error == CUDA_ERROR_INVALID_VALUE || error == CUDA_ERROR_INVALID_DEVICE;
}

static cs_u32 refused_with_host; /* buffers, while none was served: the driver may lack support */
static int served_with_host;

/* The driver has support, so the buffers that it refused before should have been checked. */
static int served(void) {
  if (__atomic_exchange_n(&served_with_host, 1, __ATOMIC_ACQ_REL))
    return 0;
  for (cs_u32 n = __atomic_exchange_n(&refused_with_host, 0, __ATOMIC_ACQ_REL); n; n--)
    cs_host_degraded(CS_DEGRADED_BUFFERS);
  return 0;
}

/* Memory that the host accesses too. If the heap cannot serve, the real call may, from other memory. Returns 0,
 * NOT_OURS or another error. */
static int alloc_with_host(CUdeviceptr *address, size_t bytes, cs_u32 by) {
  enum { REFUSALS_OF_A_DRIVER_WITHOUT_SUPPORT = 4 };
  int device = current_device();
  if (__atomic_load_n(&refused_with_host, __ATOMIC_RELAXED) >= REFUSALS_OF_A_DRIVER_WITHOUT_SUPPORT)
    return NOT_OURS;
  int error = alloc_tagged(address, bytes, by, device < 0 ? device : device + CS_HOST_WITH_HOST);
  if (!error)
    return served();
  if (!is_lack_of_support(error) || __atomic_load_n(&served_with_host, __ATOMIC_ACQUIRE))
    return error;
  __atomic_add_fetch(&refused_with_host, 1, __ATOMIC_RELAXED);
  cs_host_nothing_lost(); /* counted by served(), unless the driver has no such memory */
  cs_host_message_once(
      1, "this driver has no tagged memory for host and device (error %d): managed and pinned buffers are not checked",
      error);
  return NOT_OURS;
}

CUresult cs_host_on_cuMemAllocManaged(PFN_cuMemAllocManaged_v6000 real, const struct cs_host_call *call,
                                      CUdeviceptr *address, size_t bytes, unsigned flags) {
  (void)call;
  int valid = flags == CU_MEM_ATTACH_GLOBAL || flags == CU_MEM_ATTACH_HOST;
  int error = valid ? alloc_with_host(address, bytes, CS_HOST_BY_WITH(CS_HOST_BY_MANAGED, flags)) : NOT_OURS;
  return error ? unchecked(real(address, bytes, flags), error) : CUDA_SUCCESS;
}

static int alloc_pinned(void **address, size_t bytes, enum cs_host_allocator by, unsigned flags) {
  CUdeviceptr made;
  unsigned known = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;
  if (!address || (flags & ~known))
    return NOT_OURS;
  int error = alloc_with_host(&made, bytes, CS_HOST_BY_WITH(by, flags | CU_MEMHOSTALLOC_DEVICEMAP));
  if (!error)
    *address = (void *)made;
  return error;
}

CUresult cs_host_on_cuMemAllocHost_v2(PFN_cuMemAllocHost_v3020 real, const struct cs_host_call *call, void **address,
                                      size_t bytes) {
  (void)call;
  int error = alloc_pinned(address, bytes, CS_HOST_BY_ALLOC_HOST, 0);
  return error ? unchecked(real(address, bytes), error) : CUDA_SUCCESS;
}

CUresult cs_host_on_cuMemHostAlloc(PFN_cuMemHostAlloc_v2020 real, const struct cs_host_call *call, void **address,
                                   size_t bytes, unsigned flags) {
  (void)call;
  int error = alloc_pinned(address, bytes, CS_HOST_BY_HOST_ALLOC, flags);
  return error ? unchecked(real(address, bytes, flags), error) : CUDA_SUCCESS;
}

static CUresult registered(CUresult result, void *address, size_t bytes) {
  struct cs_host_registered range = {(cs_u64)address, bytes, cs_host_context_current(), cs_host_stack_here()};
  if (!result)
    cs_host_registered_add(&range);
  return result;
}

CUresult cs_host_on_cuMemHostRegister(PFN_cuMemHostRegister_v4000 real, const struct cs_host_call *call, void *address,
                                      size_t bytes, unsigned flags) {
  (void)call;
  return registered(real(address, bytes, flags), address, bytes);
}

CUresult cs_host_on_cuMemHostRegister_v2(PFN_cuMemHostRegister_v6050 real, const struct cs_host_call *call,
                                         void *address, size_t bytes, unsigned flags) {
  (void)call;
  return registered(real(address, bytes, flags), address, bytes);
}

CUresult cs_host_on_cuMemHostUnregister(PFN_cuMemHostUnregister_v4000 real, const struct cs_host_call *call,
                                        void *address) {
  (void)call;
  CUresult result = cs_host_after_sync(real(address));
  if (!result)
    cs_host_registered_remove((cs_u64)address);
  return result;
}

/* Addresses that the program reserves must not look tagged: a hint may be ignored, so it is, where it leads to one. */
CUresult cs_host_on_cuMemAddressReserve(PFN_cuMemAddressReserve_v10020 real, const struct cs_host_call *call,
                                        CUdeviceptr *address, size_t bytes, size_t alignment, CUdeviceptr hint,
                                        unsigned long long flags) {
  (void)call;
  CUresult result = real(address, bytes, alignment, hint, flags);
  if (result || !address || !hint || !(cs_is_tagged(*address) || cs_is_tagged(*address + bytes - 1)))
    return result;
  cs_host_driver()->cuMemAddressFree(*address, bytes);
  return real(address, bytes, alignment, 0, flags);
}

static CUresult bad_free(cs_u64 address, const char *call) {
  cs_host_found_invalid_free(address, call, cs_host_stack_here());
  return CUDA_ERROR_INVALID_VALUE;
}

/* An address that is not CuSafe's: the driver decides whether it can be freed. */
static CUresult freed_by_driver(CUresult result, cs_u64 address, const char *call) {
  if (result == CUDA_ERROR_INVALID_VALUE && address)
    return bad_free(address, call);
  return cs_host_after_sync(result);
}

static CUresult freed_of_graph(CUresult result, struct cs_host_graph_buffer *buffer, cs_u64 address, const char *call) {
  if (!result)
    cs_host_graph_buffer_freed(buffer, NULL, 1, cs_host_stack_here());
  return freed_by_driver(result, address, call);
}

/* A free of a graph's memory in a stream, or in a capture, which records a node. */
static CUresult freed_in_stream(CUresult result, struct cs_host_graph_buffer *buffer, CUstream stream, int capturing,
                                const char *call) {
  size_t bytes;
  if (capturing)
    return cs_host_node_freed(result, buffer);
  if (!result)
    cs_host_graph_buffer_freed(buffer, stream, 0, cs_host_stack_here());
  return result == CUDA_ERROR_INVALID_VALUE ? bad_free(cs_host_graph_buffer_start(buffer, &bytes), call) : result;
}

/* Whether work of this context, other than the current one, may use the buffer. */
static int may_use(const struct cs_host_context *c, const struct cs_host_context *here,
                   const struct cs_host_heap_buffer *buffer) {
  if (!cs_host_context_handle(c) || c == here)
    return 0;
  int shared = cs_host_is_pinned(buffer->call) || buffer->call == CS_HOST_BY_MANAGED;
  return shared || (c->device == buffer->device && here->device != buffer->device);
}

/* Waits for the work of the buffer's devices, as the real call does. */
static CUresult wait_for_users_of(const struct cs_host_heap_buffer *buffer) {
  const struct cs_host_driver *d = cs_host_driver();
  struct cs_host_context *here = cs_host_context_current();
  if (!here)
    return CUDA_ERROR_INVALID_CONTEXT;
  CUresult result = d->cuCtxSynchronize();
  for (struct cs_host_context *c = cs_host_context_first(); c && !result; c = c->next)
    if (may_use(c, here, buffer) && !cs_host_context_visit(c)) {
      result = d->cuCtxSynchronize();
      cs_host_context_leave(c);
    }
  return result;
}

static CUresult free_claimed(const struct cs_host_heap_buffer *buffer, const char *call) {
  CUresult result = cs_host_after_sync(wait_for_users_of(buffer));
  if (!result)
    cs_host_order_all_ended();
  if (!result && buffer->call == CS_HOST_BY_MANAGED && cs_host_advice_given())
    cs_host_advice_forget(buffer->start, buffer->size);
  if (result)
    cs_host_heap_unclaim(cs_host_process_heap(), buffer->start);
  if (result)
    return result;
  cs_u32 stack = cs_host_stack_here();
  cs_host_canary_freeing(buffer->start, call, stack);
  cs_host_order_forget(buffer->start);
  cs_host_heap_free(cs_host_process_heap(), buffer->start, stack);
  cs_host_found_canaries();
  cs_host_heap_reclaim(cs_host_process_heap()); /* may wait, as the real call does */
  return result;
}

/* A pointer that a kernel has stored may carry a mark: its address is freed. */
CUresult cs_host_on_cuMemFree_v2(PFN_cuMemFree_v3020 real, const struct cs_host_call *call, CUdeviceptr address) {
  struct cs_host_heap_buffer buffer;
  address = cs_strip(address);
  struct cs_host_graph_buffer *of_graph = cs_host_graph_buffer_at(address);
  if (of_graph)
    return freed_of_graph(real(cs_host_graph_buffer_driver(of_graph)), of_graph, address, call->name);
  enum cs_host_free_verdict verdict = cs_host_heap_claim_free(cs_host_process_heap(), address, 0, &buffer);
  if (verdict == CS_HOST_FREE_FOREIGN)
    return freed_by_driver(real(address), address, call->name);
  return verdict == CS_HOST_FREE_BAD ? bad_free(address, call->name) : free_claimed(&buffer, call->name);
}

CUresult cs_host_on_cuMemFreeHost(PFN_cuMemFreeHost_v2000 real, const struct cs_host_call *call, void *address) {
  cs_u64 a = (cs_u64)address;
  struct cs_host_heap_buffer buffer;
  enum cs_host_free_verdict verdict = cs_host_heap_claim_free(cs_host_process_heap(), a, 1, &buffer);
  if (verdict == CS_HOST_FREE_FOREIGN)
    return freed_by_driver(real(address), a, call->name);
  return verdict == CS_HOST_FREE_BAD ? bad_free(a, call->name) : free_claimed(&buffer, call->name);
}

/* The free was submitted: reports a use that it is not ordered after. */
static void examine_order(cs_u64 start, const char *call, CUstream stream) {
  cs_u32 use = 0;
  if (cs_host_order_freed(start, stream, &use))
    cs_host_found_order(start, call, use, cs_host_stack_here());
}

/* They end with their buffer, in the order of the stream. */
static void end_sub_allocations(cs_u64 start, CUstream stream) {
  cs_u64 *addresses;
  size_t count = cs_host_heap_claim_all_carved(cs_host_process_heap(), start, &addresses);
  for (size_t i = 0; i < count; i++)
    if (cs_host_pending_add(addresses[i], stream, cs_host_stack_here())) {
      cs_host_heap_unclaim(cs_host_process_heap(), addresses[i]);
      cs_host_degraded(CS_DEGRADED_PARTS);
    }
  free(addresses);
}

CUresult cs_host_on_cuMemFreeAsync(PFN_cuMemFreeAsync_v11020 real, const struct cs_host_call *call, CUdeviceptr address,
                                   CUstream stream) {
  struct cs_host_heap_buffer buffer;
  address = cs_strip(address);
  stream = cs_host_stream_of(call, stream);
  struct cs_host_graph_buffer *of_graph = cs_host_graph_buffer_at(address);
  if (of_graph)
    return freed_in_stream(real(cs_host_graph_buffer_driver(of_graph), stream), of_graph, stream,
                           cs_host_is_capturing(stream), call->name);
  if (cs_host_heap_owns(cs_host_process_heap(), address) && cs_host_is_capturing(stream)) {
    if (!cs_host_heap_find(cs_host_process_heap(), address, &buffer) && buffer.start != address)
      return bad_free(address, call->name);
    cs_host_message_once(0, "%s of a buffer from outside the stream capture is not supported", call->name);
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  }
  enum cs_host_free_verdict verdict = cs_host_heap_claim_free(cs_host_process_heap(), address, 0, &buffer);
  if (verdict == CS_HOST_FREE_FOREIGN) {
    CUresult result = real(address, stream);
    return result == CUDA_ERROR_INVALID_VALUE && address ? bad_free(address, call->name) : result;
  }
  if (verdict == CS_HOST_FREE_BAD)
    return bad_free(address, call->name);
  end_sub_allocations(buffer.start, stream);
  int error = cs_host_pending_add(buffer.start, stream, cs_host_stack_here());
  if (error)
    cs_host_heap_unclaim(cs_host_process_heap(), buffer.start);
  else
    examine_order(buffer.start, call->name, stream);
  return (CUresult)error;
}
