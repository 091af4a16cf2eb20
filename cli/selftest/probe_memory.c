/* probe_memory.c: probes of virtual memory management, as host/process/vmm_driver.c and host/heap use it. */
#include "cli/base/limited.h"
#include "cli/selftest/driver.h"
#include "cli/selftest/probes.h"
#include "cusafe/layout.h"
#include <stdint.h>

/* As CuSafe maps memory, or coarser if the driver requires it, which is what the probe granularity tests. */
static size_t granule = (size_t)1 << CS_GRANULE_LOG2;

static CUmemAllocationProp properties(int device) {
  return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                               .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
}

static size_t granularity_of(int device) {
  size_t granularity = 0;
  CUmemAllocationProp p = properties(device);
  CALL(MemGetAllocationGranularity, &granularity, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
  return granularity;
}

static int has(CUdevice_attribute which, int device) {
  int value = 0;
  return !cs_cli_cuda.DeviceGetAttribute(&value, which, device) && value;
}

static int has_vmm(int device) {
  return has(CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device);
}

/* Of several failures, the probe virtual_memory names the first. */
static void open_memory(void) {
  cs_cli_probe_open();
  if (!has_vmm(0))
    cs_cli_probe_end(CS_CLI_ABSENT, "the first device has no virtual memory management");
  size_t least = granularity_of(0);
  granule = least > granule ? least : granule;
}

static CUmemGenericAllocationHandle create(void) {
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp p = properties(0);
  CALL(MemCreate, &handle, granule, &p, 0);
  return handle;
}

/* Reserves this address, or ends the probe with this status. */
static void reserve_at(CUdeviceptr address, size_t bytes, int status) {
  CUdeviceptr got = 0;
  CALL(MemAddressReserve, &got, bytes, 0, address, 0);
  if (got != address)
    cs_cli_probe_end(status, "0x%llx was requested, and 0x%llx returned", address, got);
}

/* Any address: whether the requested one is returned is what the probe hints tests. */
static CUdeviceptr reserve(size_t bytes) {
  CUdeviceptr got = 0;
  CALL(MemAddressReserve, &got, bytes, 0, 0, 0);
  if (!got)
    cs_cli_probe_end(CS_CLI_FAILS, "cuMemAddressReserve returned no address");
  return got;
}

static void allow(CUdeviceptr address, size_t bytes, CUmemAccess_flags flags) {
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
  CALL(MemSetAccess, address, bytes, &access, 1);
}

/* Maps one granule, readable and writable, at this address. */
static void map(CUdeviceptr address, CUmemGenericAllocationHandle handle) {
  CALL(MemMap, address, granule, 0, handle, 0);
  allow(address, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

static void write_word(CUdeviceptr address, cs_u64 word) {
  CALL(MemcpyHtoD, address, &word, sizeof word);
}

/* What a kernel reads at the address. */
static cs_u64 read_by_kernel(CUdeviceptr address) {
  static CUfunction kernel;
  cs_u64 word = 0;
  int one = 1;
  if (!kernel)
    kernel = cs_cli_probe_kernel(cs_cli_probe_module("bare"), "copy_words");
  CUdeviceptr to = cs_cli_probe_buffer(sizeof word);
  LAUNCH(kernel, NULL, &to, &address, &one);
  CALL(MemcpyDtoH, &word, to, sizeof word);
  CALL(MemFree, to);
  return word;
}

static void expect_word(CUdeviceptr address, cs_u64 word) {
  cs_u64 got = read_by_kernel(address);
  if (got != word)
    cs_cli_probe_end(CS_CLI_FAILS, "a kernel read 0x%llx at 0x%llx, where the host had written 0x%llx", got, address,
                     word);
}

void cs_cli_probe_granularity(void) {
  size_t coarsest = 0;
  cs_cli_probe_load();
  for (int i = cs_cli_probe_devices() - 1; i >= 0; i--) {
    size_t granularity = has_vmm(i) ? granularity_of(i) : 0;
    coarsest = granularity > coarsest ? granularity : coarsest;
  }
  if (!coarsest)
    cs_cli_probe_end(CS_CLI_ABSENT, "no device has virtual memory management");
  int fits = granule % coarsest == 0;
  cs_cli_probe_end(fits ? CS_CLI_HOLDS : CS_CLI_FAILS, "%zu KiB", coarsest >> 10);
}

void cs_cli_probe_hints(void) {
  cs_cli_probe_open();
  reserve_at(CS_TABLE_BASE, CS_TABLE_BYTES, CS_CLI_FAILS);
  cs_cli_probe_end(CS_CLI_HOLDS, "the table of metadata is at 0x%llx", CS_TABLE_BASE);
}

/* As much as the heap reserves at first for a window size (host/heap/region.c). */
static size_t first_chunk(cs_u32 tag) {
  enum { CHUNK_LOG2 = 30 };
  return (size_t)1 << (cs_unit_log2(tag) > CHUNK_LOG2 ? cs_unit_log2(tag) : CHUNK_LOG2);
}

void cs_cli_probe_windows(void) {
  cs_u32 taken = 0;
  cs_cli_probe_open();
  for (cs_u32 tag = CS_TAG_MIN; tag <= CS_TAG_MAX; tag++) {
    CUdeviceptr got = 0, address = (CUdeviceptr)tag << CS_TAG_SHIFT;
    taken += cs_cli_cuda.MemAddressReserve(&got, first_chunk(tag), 0, address, 0) || got != address;
  }
  cs_cli_probe_end(taken ? CS_CLI_FAILS : CS_CLI_HOLDS, "%u of %u are free", CS_TAG_MAX - taken, CS_TAG_MAX);
}

void cs_cli_probe_high_addresses(void) {
  open_memory();
  CUdeviceptr last = ((CUdeviceptr)(CS_TAG_MAX + 1) << CS_TAG_SHIFT) - granule;
  reserve_at(last, granule, CS_CLI_ABSENT);
  map(last, create());
  write_word(last + granule - 8, 47);
  expect_word(last + granule - 8, 47);
}

void cs_cli_probe_two_mappings(void) {
  open_memory();
  CUmemGenericAllocationHandle handle = create();
  CUdeviceptr at = reserve(2 * granule);
  map(at, handle);
  map(at + granule, handle);
  write_word(at + 8, 2);
  expect_word(at + granule + 8, 2);
}

void cs_cli_probe_many_mappings(void) {
  enum { COUNT = 4096 };
  open_memory();
  CUmemGenericAllocationHandle handle = create();
  CUdeviceptr at = reserve(COUNT * granule);
  for (size_t i = 0; i < COUNT; i++) {
    CUresult error = cs_cli_cuda.MemMap(at + i * granule, granule, 0, handle, 0);
    if (error) /* the second: the probe two_mappings names the reason */
      cs_cli_probe_end(i == 1 ? CS_CLI_ABSENT : CS_CLI_FAILS, "mapping %zu returned %s", i + 1,
                       cs_cli_probe_error(error));
  }
  allow(at, COUNT * granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

void cs_cli_probe_range_access(void) {
  enum { COUNT = 8 };
  open_memory();
  CUdeviceptr at = reserve(COUNT * granule);
  for (size_t i = 0; i < COUNT; i++)
    CALL(MemMap, at + i * granule, granule, 0, create(), 0);
  allow(at, COUNT * granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  write_word(at + (COUNT - 1) * granule, COUNT);
  expect_word(at + (COUNT - 1) * granule, COUNT);
}

/* Drivers without read-only mappings are served as well (driver_access() in vmm_driver.c). */
void cs_cli_probe_table_reads(void) {
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READ};
  open_memory();
  CUmemGenericAllocationHandle handle = create();
  CUdeviceptr at = reserve(2 * granule);
  map(at, handle);
  CALL(MemsetD8, at, 0, granule);
  CALL(MemUnmap, at, granule);
  CALL(MemMap, at + granule, granule, 0, handle, 0);
  int read_only = cs_cli_cuda.MemSetAccess(at + granule, granule, &access, 1) == CUDA_SUCCESS;
  if (!read_only)
    allow(at + granule, granule, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  expect_word(at + granule, 0);
  expect_word(at + 2 * granule - 8, 0);
  cs_cli_probe_end(CS_CLI_HOLDS, "%s",
                   read_only ? "mapped read-only" : "mapped writable: there are no read-only mappings");
}

void cs_cli_probe_remapping(void) {
  open_memory();
  CUdeviceptr at = reserve(granule);
  for (cs_u64 turn = 1; turn <= 8; turn++) {
    map(at, create());
    write_word(at, turn);
    expect_word(at, turn);
    CALL(MemUnmap, at, granule);
  }
}

void cs_cli_probe_mapping_cost(void) {
  enum { TURNS = 64 };
  const double most = 5;
  open_memory();
  CUmemGenericAllocationHandle handle = create();
  CUdeviceptr at = reserve(granule);
  double start = cs_cli_seconds();
  for (int i = 0; i < TURNS; i++) {
    map(at, handle);
    CALL(MemUnmap, at, granule);
  }
  double each = (cs_cli_seconds() - start) * 1e3 / TURNS;
  cs_cli_probe_end(each <= most ? CS_CLI_HOLDS : CS_CLI_FAILS, "%.3f ms", each);
}

/* As choose_host_location() in vmm_driver.c. */
static CUmemLocation host_location(void) {
  int node = 0;
  if (has(CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0))
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0};
  if (has(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, 0) &&
      !cs_cli_cuda.DeviceGetAttribute(&node, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0) && node >= 0)
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, node};
  return (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
}

void cs_cli_probe_host_access(void) {
  open_memory();
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp p = properties(0);
  p.location = host_location();
  int on_device = p.location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access[] = {
      {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
      {on_device ? (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0} : p.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
  CALL(MemCreate, &handle, granule, &p, 0);
  CUdeviceptr at = reserve(granule);
  CALL(MemMap, at, granule, 0, handle, 0);
  CALL(MemSetAccess, at, granule, access, 2);
  *(volatile cs_u64 *)(uintptr_t)at = 5;
  expect_word(at, 5);
  cs_cli_probe_end(CS_CLI_HOLDS, "%s", on_device ? "the memory is the device's" : "the memory is the host's");
}

void cs_cli_probe_contexts(void) {
  CUcontext second;
  open_memory();
  CUdeviceptr at = reserve(granule);
  map(at, create());
  write_word(at, 3);
  CALL(CtxCreate, &second, NULL, 0, 0);
  CALL(CtxSetCurrent, second);
  expect_word(at, 3);
  CALL(CtxDestroy, second);
}

void cs_cli_probe_peers(void) {
  enum { MAX = 64 };
  CUmemAccessDesc access[MAX];
  open_memory();
  int count = cs_cli_probe_devices(), reach = 1;
  if (count == 1)
    cs_cli_probe_end(CS_CLI_ABSENT, "there is one device");
  count = count < MAX ? count : MAX;
  for (int i = 0; i < count; i++) {
    int can = 0;
    if (!has_vmm(i))
      cs_cli_probe_end(CS_CLI_FAILS, "device %d of %d has no virtual memory management", i, count);
    if (i)
      CALL(DeviceCanAccessPeer, &can, i, 0);
    reach += can;
    access[i] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, i}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  }
  if (reach < count)
    cs_cli_probe_end(CS_CLI_FAILS, "%d of %d devices can access the first", reach, count);
  CUdeviceptr at = reserve(granule);
  CALL(MemMap, at, granule, 0, create(), 0);
  CALL(MemSetAccess, at, granule, access, (size_t)count);
  write_word(at, 4);
  CUcontext last;
  CALL(DevicePrimaryCtxRetain, &last, count - 1);
  CALL(CtxSetCurrent, last);
  expect_word(at, 4);
  cs_cli_probe_end(CS_CLI_HOLDS, "%d devices", count);
}
