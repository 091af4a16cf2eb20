/* vmm_driver.c: vmm.h on the CUDA driver's virtual memory calls. */
#include "host/process/vmm_driver.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/process/own_stream.h"
#include <pthread.h>

enum { DEVICES_MAX = CS_HOST_WITH_HOST };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
  int state; /* 0 unknown, 1 has virtual memory management, -1 has none */
  int count;
  int all_peers;                                 /* every device can access every other one's memory */
  unsigned char has[DEVICES_MAX];                /* the device has virtual memory management */
  CUmemLocation host;                            /* of memory that the host accesses too */
  unsigned char reach[DEVICES_MAX][DEVICES_MAX]; /* reach[a][b]: b can access a's memory */
} machine;

static CUmemAllocationProp properties(int device) {
  CUmemAllocationProp p = {.type = CU_MEM_ALLOCATION_TYPE_PINNED, .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
  int rdma = 0;
  if (!cs_host_driver()->cuDeviceGetAttribute(&rdma, CU_DEVICE_ATTRIBUTE_GPU_DIRECT_RDMA_WITH_CUDA_VMM_SUPPORTED,
                                              device))
    p.allocFlags.gpuDirectRDMACapable = (unsigned char)(rdma != 0);
  return p;
}

static int has_calls(const struct cs_host_driver *d) {
  return d->cuMemAddressReserve && d->cuMemAddressFree && d->cuMemCreate && d->cuMemRelease && d->cuMemMap &&
         d->cuMemUnmap && d->cuMemSetAccess && d->cuMemGetAllocationGranularity && d->cuMemcpyHtoDAsync_v2 &&
         d->cuStreamCreate && d->cuStreamSynchronize;
}

/* Whether windows of 2 MiB can be mapped. Returns 0 or a CUresult. */
static CUresult granularity_fits(int device, int *fits) {
  CUmemAllocationProp p = properties(device);
  size_t granularity = 0;
  CUresult error = cs_host_driver()->cuMemGetAllocationGranularity(&granularity, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  *fits = !error && granularity && CS_HOST_GRANULE % granularity == 0;
  return error;
}

static CUresult can_reach(int owner, int other, unsigned char *can) {
  int answer = owner == other;
  CUresult error = answer || !cs_host_driver()->cuDeviceCanAccessPeer
                       ? CUDA_SUCCESS
                       : cs_host_driver()->cuDeviceCanAccessPeer(&answer, other, owner);
  *can = (unsigned char)(answer != 0);
  return error;
}

static int has_attribute(CUdevice_attribute attribute) {
  int value = 0;
  return !cs_host_driver()->cuDeviceGetAttribute(&value, attribute, 0) && value;
}

/* A driver without virtual memory management of host memory may still let the host access a device's memory. */
static CUmemLocation choose_host_location(void) {
  int node = 0;
  if (has_attribute(CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED))
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0};
  if (has_attribute(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) &&
      !cs_host_driver()->cuDeviceGetAttribute(&node, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0) && node >= 0)
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, node};
  return (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
}

/* A driver that does not know the attribute has no device without the calls. */
static int has_vmm(int device) {
  int value = 0;
  CUdevice_attribute which = CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED;
  return cs_host_driver()->cuDeviceGetAttribute(&value, which, device) || value;
}

/* A device without virtual memory management gets no access: cuMemSetAccess would fail for all. Its buffers keep the
 * driver's addresses, so that its kernels do not read the table. */
static CUresult query_peers(void) {
  CUresult error = CUDA_SUCCESS;
  machine.all_peers = 1;
  for (int a = 0; a < machine.count; a++)
    machine.has[a] = a == 0 || has_vmm(a); /* the first has shown it: granularity_fits() */
  for (int a = 0; a < machine.count && !error; a++)
    for (int b = 0; b < machine.count && !error; b++) {
      int both = machine.has[a] && machine.has[b];
      error = both ? can_reach(a, b, &machine.reach[a][b]) : CUDA_SUCCESS;
      machine.all_peers &= !both || machine.reach[a][b];
    }
  return error;
}

/* Sets the state. Under the lock. If the driver does not answer, the state stays unknown; errors that describe what it
 * supports are answers. */
static CUresult query_machine(void) {
  const struct cs_host_driver *d = cs_host_driver();
  int fits = 0;
  CUresult error = has_calls(d) ? d->cuDeviceGetCount(&machine.count) : CUDA_ERROR_NOT_SUPPORTED;
  if (!error)
    error = granularity_fits(0, &fits);
  if (!error && fits) {
    machine.count = machine.count > DEVICES_MAX ? DEVICES_MAX : machine.count;
    machine.host = choose_host_location();
    error = query_peers();
    machine.state = error ? 0 : 1;
    return error;
  }
  if (!error || error == CUDA_ERROR_NOT_SUPPORTED || error == CUDA_ERROR_INVALID_VALUE) {
    cs_host_message(1, "this driver has no virtual memory management with 2 MiB pages; buffers are not checked");
    machine.state = -1;
  }
  return error ? error : CUDA_ERROR_NOT_SUPPORTED;
}

/* Returns 0, CS_HOST_VMM_NEVER, or the error of a driver that does not answer. */
static int know_machine(void) {
  pthread_mutex_lock(&lock);
  CUresult error = machine.state ? CUDA_SUCCESS : query_machine();
  int state = machine.state;
  pthread_mutex_unlock(&lock);
  return state < 0 ? CS_HOST_VMM_NEVER : (int)error;
}

static int driver_reserve(cs_u64 address, cs_u64 bytes) {
  CUdeviceptr got = 0;
  int unknown = know_machine();
  if (unknown)
    return unknown;
  CUresult error = cs_host_driver()->cuMemAddressReserve(&got, bytes, 0, address, 0);
  if (error || got == address)
    return (int)error;
  cs_host_driver()->cuMemAddressFree(got, bytes);
  return CS_HOST_VMM_NEVER;
}

static int is_with_host(int location) {
  return location >= CS_HOST_WITH_HOST;
}

static int is_on_host(int location) {
  return is_with_host(location) && machine.host.type != CU_MEM_LOCATION_TYPE_DEVICE;
}

/* Memory for all devices is on the first device if all can access it, else in host memory. */
static CUmemAllocationProp properties_of_location(int location) {
  CUmemAllocationProp p = properties(location < 0 ? 0 : location % CS_HOST_WITH_HOST);
  int by_all = location < 0 && !machine.all_peers;
  if (by_all)
    p.location = (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0};
  if (is_on_host(location))
    p.location = machine.host;
  if (by_all || is_on_host(location))
    p.allocFlags.gpuDirectRDMACapable = 0;
  return p;
}

static int driver_create(int location, cs_u64 bytes, cs_u64 *handle) {
  CUmemGenericAllocationHandle made;
  CUmemAllocationProp p = properties_of_location(location);
  CUresult error = cs_host_driver()->cuMemCreate(&made, bytes, &p, 0);
  *handle = error ? 0 : made;
  return (int)error;
}

/* Nothing can be done about memory that cannot be returned, but to try again. */
static void driver_release(cs_u64 handle) {
  if (cs_host_driver()->cuMemRelease(handle)) {
    cs_host_driver()->cuMemRelease(handle);
    cs_host_nothing_lost();
  }
}

/* Memory that could be created is an invalid value only where other memory is still mapped. To callers it means that
 * the driver lacks a kind of memory. */
static int driver_map(cs_u64 address, cs_u64 bytes, cs_u64 handle) {
  CUresult error = cs_host_driver()->cuMemMap(address, bytes, 0, handle, 0);
  return (int)(error == CUDA_ERROR_INVALID_VALUE ? CUDA_ERROR_ALREADY_MAPPED : error);
}

static int driver_access(cs_u64 address, cs_u64 bytes, int location, int writable) {
  CUmemAccessDesc list[DEVICES_MAX + 1];
  CUmemAccess_flags flags = writable ? CU_MEM_ACCESS_FLAGS_PROT_READWRITE : CU_MEM_ACCESS_FLAGS_PROT_READ;
  size_t count = 0;
  for (int d = 0; d < machine.count; d++)
    if (machine.has[d] && (location < 0 || is_on_host(location) || machine.reach[location % CS_HOST_WITH_HOST][d]))
      list[count++] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, d}, flags};
  if (is_on_host(location))
    list[count++] = (CUmemAccessDesc){machine.host, flags};
  else if (is_with_host(location))
    list[count++] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_HOST, 0}, flags};
  CUresult error = cs_host_driver()->cuMemSetAccess(address, bytes, list, count);
  if (!error || writable)
    return (int)error;
  return driver_access(address, bytes, location, 1); /* a driver without read-only mappings */
}

static void driver_unmap(cs_u64 address, cs_u64 bytes) {
  if (cs_host_driver()->cuMemUnmap(address, bytes)) {
    cs_host_driver()->cuMemUnmap(address, bytes);
    cs_host_nothing_lost(); /* a buffer that cannot be mapped here is counted */
  }
}

static int driver_zero(cs_u64 address, cs_u64 bytes) {
  return cs_host_own_queue_zero(address, bytes);
}

static int driver_write(cs_u64 address, const void *data, cs_u64 bytes) {
  return cs_host_own_queue_write(address, data, bytes);
}

const struct cs_host_vmm cs_host_vmm_driver = {
    .reserve = driver_reserve,
    .create = driver_create,
    .release = driver_release,
    .map = driver_map,
    .access = driver_access,
    .unmap = driver_unmap,
    .zero = driver_zero,
    .write = driver_write,
    .settle = cs_host_own_settle,
};
