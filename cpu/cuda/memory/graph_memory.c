/* graph_memory.c: memory that graphs allocate and free. A node's memory has its address and its storage from the
 * creation of the node until the last graph that holds it has ended and the program has freed it; launches only mark it
 * as allocated or free. */
#include "cpu/cuda/memory/graph_memory.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include <stdatomic.h>

static struct {
  atomic_ullong used, used_high, reserved, reserved_high;
} statistics[CS_CPU_MAX_DEVICES];

static void raise(atomic_ullong *value, atomic_ullong *high, unsigned long long bytes) {
  unsigned long long now = atomic_fetch_add(value, bytes) + bytes, before = atomic_load(high);
  while (now > before && !atomic_compare_exchange_weak(high, &before, now))
    ;
}

CUresult cs_cpu_graph_memory_allocate(CUDA_MEM_ALLOC_NODE_PARAMS_v2 *params) {
  const CUmemPoolProps *properties = &params->poolProps;
  struct cs_cpu_allocation *allocation;
  if (!params->bytesize || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE || properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return cs_cpu_unsupported("a graph allocation that is shared or on the host");
  struct cs_cpu_device *device = cs_cpu_device_at(properties->location.id);
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cs_cpu_memory_allocate(device->primary, CS_CPU_MEMORY_DEVICE, params->bytesize, 0, &allocation);
  if (result != CUDA_SUCCESS)
    return result;
  allocation->context = NULL; /* it outlives contexts, as graphs do */
  allocation->graphs = 1;
  params->dptr = allocation->range.start;
  raise(&statistics[device->ordinal].reserved, &statistics[device->ordinal].reserved_high, params->bytesize);
  return CUDA_SUCCESS;
}

/* Under cs_cpu_memory_lock(). */
static struct cs_cpu_allocation *find(CUdeviceptr address) {
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(address);
  int ours = allocation && allocation->range.start == address && (allocation->graphs || allocation->live);
  return ours ? allocation : NULL;
}

void cs_cpu_graph_memory_hold(CUdeviceptr address) {
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = find(address);
  if (allocation)
    allocation->graphs++;
  cs_cpu_memory_unlock();
}

static void count_released(const struct cs_cpu_allocation *allocation) {
  atomic_fetch_sub(&statistics[allocation->device].reserved, allocation->range.size);
}

void cs_cpu_graph_memory_let_go(CUdeviceptr address) {
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = find(address);
  int last = allocation && --allocation->graphs == 0 && !allocation->live;
  cs_cpu_memory_unlock();
  if (!last)
    return;
  cs_cpu_wait_all();
  count_released(allocation);
  cs_cpu_memory_release(allocation);
}

/* Under cs_cpu_memory_lock(). */
static void set_live(struct cs_cpu_allocation *allocation, int live) {
  allocation->live = live;
  if (live)
    raise(&statistics[allocation->device].used, &statistics[allocation->device].used_high, allocation->range.size);
  else
    atomic_fetch_sub(&statistics[allocation->device].used, allocation->range.size);
}

int cs_cpu_graph_memory_free(struct cs_cpu_allocation *allocation) {
  set_live(allocation, 0);
  if (allocation->graphs)
    return 1;
  count_released(allocation);
  return 0;
}

CUresult cs_cpu_graph_memory_set_live(CUdeviceptr address, int live) {
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = find(address);
  int possible = allocation && allocation->live != live;
  int release = possible && !live && !allocation->graphs;
  if (possible)
    set_live(allocation, live);
  if (release)
    count_released(allocation);
  cs_cpu_memory_unlock();
  if (release) {
    cs_cpu_wait_all();
    cs_cpu_memory_release(allocation);
  }
  return possible ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

int cs_cpu_graph_memory_is(CUdeviceptr address) {
  cs_cpu_memory_lock();
  int ours = find(address) != NULL;
  cs_cpu_memory_unlock();
  return ours;
}

int cs_cpu_graph_memory_is_live(CUdeviceptr address) {
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = find(address);
  int live = allocation && allocation->live;
  cs_cpu_memory_unlock();
  return live;
}

/* --- the calls --- */

static CUresult check(CUdevice device) {
  CUresult result = cs_cpu_check_init();
  return result == CUDA_SUCCESS && !cs_cpu_device_at(device) ? CUDA_ERROR_INVALID_DEVICE : result;
}

CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return check(device); /* live graphs hold all memory that is reserved */
}

CUresult cuDeviceGetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
  CUresult result = check(device);
  if (result != CUDA_SUCCESS || !value)
    return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
  atomic_ullong *values[] = {[CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT] = &statistics[device].used,
                             [CU_GRAPH_MEM_ATTR_USED_MEM_HIGH] = &statistics[device].used_high,
                             [CU_GRAPH_MEM_ATTR_RESERVED_MEM_CURRENT] = &statistics[device].reserved,
                             [CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH] = &statistics[device].reserved_high};
  if ((size_t)attribute >= sizeof values / sizeof *values)
    return CUDA_ERROR_INVALID_VALUE;
  *(cuuint64_t *)value = atomic_load(values[attribute]);
  return CUDA_SUCCESS;
}

CUresult cuDeviceSetGraphMemAttribute(CUdevice device, CUgraphMem_attribute attribute, void *value) {
  CUresult result = check(device);
  if (result != CUDA_SUCCESS || !value)
    return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
  if (*(cuuint64_t *)value != 0) /* high marks may only be reset */
    return CUDA_ERROR_INVALID_VALUE;
  if (attribute == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
    atomic_store(&statistics[device].used_high, atomic_load(&statistics[device].used));
  else if (attribute == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
    atomic_store(&statistics[device].reserved_high, atomic_load(&statistics[device].reserved));
  else
    return CUDA_ERROR_INVALID_VALUE;
  return CUDA_SUCCESS;
}
