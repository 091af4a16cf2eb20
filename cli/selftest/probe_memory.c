/* probe_memory.c: probes of virtual memory management, as host/process/vmm_driver.c and host/heap use it. */
#include "cli/selftest/driver.h"
#include "cli/selftest/probes.h"
#include "cusafe/layout.h"
#include <stdint.h>
#include <time.h>

#define GRANULE ((size_t)1 << CS_GRANULE_LOG2)

static CUmemAllocationProp properties(int device) {
  return (CUmemAllocationProp){.type = CU_MEM_ALLOCATION_TYPE_PINNED,
                               .location = {CU_MEM_LOCATION_TYPE_DEVICE, device}};
}

static CUmemGenericAllocationHandle create(void) {
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp p = properties(0);
  CALL(MemCreate, &handle, GRANULE, &p, 0);
  return handle;
}

/* Returns the address. */
static CUdeviceptr reserve(CUdeviceptr address, size_t bytes) {
  CUdeviceptr got = 0;
  CALL(MemAddressReserve, &got, bytes, 0, address, 0);
  if (got != address)
    cs_cli_probe_end(CS_CLI_FAILS, "0x%llx was requested, and 0x%llx returned", address, got);
  return got;
}

static void allow(CUdeviceptr address, size_t bytes, CUmemAccess_flags flags) {
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, flags};
  CALL(MemSetAccess, address, bytes, &access, 1);
}

/* Maps one granule, readable and writable, at this address. */
static void map(CUdeviceptr address, CUmemGenericAllocationHandle handle) {
  CALL(MemMap, address, GRANULE, 0, handle, 0);
  allow(address, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
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
    size_t granularity = 0;
    CUmemAllocationProp p = properties(i);
    CALL(MemGetAllocationGranularity, &granularity, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM);
    coarsest = granularity > coarsest ? granularity : coarsest;
  }
  int fits = coarsest && GRANULE % coarsest == 0;
  cs_cli_probe_end(fits ? CS_CLI_HOLDS : CS_CLI_FAILS, "%zu KiB", coarsest >> 10);
}

void cs_cli_probe_hints(void) {
  cs_cli_probe_open();
  reserve(CS_TABLE_BASE, CS_TABLE_BYTES);
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
  CUdeviceptr last = ((CUdeviceptr)(CS_TAG_MAX + 1) << CS_TAG_SHIFT) - GRANULE;
  cs_cli_probe_open();
  reserve(last, GRANULE);
  map(last, create());
  write_word(last + GRANULE - 8, 47);
  expect_word(last + GRANULE - 8, 47);
}

void cs_cli_probe_two_mappings(void) {
  cs_cli_probe_open();
  CUmemGenericAllocationHandle handle = create();
  reserve(CS_TABLE_BASE, 2 * GRANULE);
  map(CS_TABLE_BASE, handle);
  map(CS_TABLE_BASE + GRANULE, handle);
  write_word(CS_TABLE_BASE + 8, 2);
  expect_word(CS_TABLE_BASE + GRANULE + 8, 2);
}

void cs_cli_probe_many_mappings(void) {
  enum { COUNT = 4096 };
  cs_cli_probe_open();
  CUmemGenericAllocationHandle handle = create();
  reserve(CS_TABLE_BASE, COUNT * GRANULE);
  for (size_t i = 0; i < COUNT; i++) {
    CUresult error = cs_cli_cuda.MemMap(CS_TABLE_BASE + i * GRANULE, GRANULE, 0, handle, 0);
    if (error)
      cs_cli_probe_end(CS_CLI_FAILS, "mapping %zu returned %s", i + 1, cs_cli_probe_error(error));
  }
  allow(CS_TABLE_BASE, COUNT * GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
}

void cs_cli_probe_range_access(void) {
  enum { COUNT = 312 };
  cs_cli_probe_open();
  reserve(CS_TABLE_BASE, COUNT * GRANULE);
  for (size_t i = 0; i < COUNT; i++)
    CALL(MemMap, CS_TABLE_BASE + i * GRANULE, GRANULE, 0, create(), 0);
  allow(CS_TABLE_BASE, COUNT * GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  write_word(CS_TABLE_BASE + (COUNT - 1) * GRANULE, 312);
  expect_word(CS_TABLE_BASE + (COUNT - 1) * GRANULE, 312);
}

/* Drivers without read-only mappings are served as well (driver_access() in vmm_driver.c). */
void cs_cli_probe_table_reads(void) {
  CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READ};
  cs_cli_probe_open();
  CUmemGenericAllocationHandle handle = create();
  reserve(CS_TABLE_BASE, 2 * GRANULE);
  map(CS_TABLE_BASE, handle);
  CALL(MemsetD8, CS_TABLE_BASE, 0, GRANULE);
  CALL(MemUnmap, CS_TABLE_BASE, GRANULE);
  CALL(MemMap, CS_TABLE_BASE + GRANULE, GRANULE, 0, handle, 0);
  int read_only = cs_cli_cuda.MemSetAccess(CS_TABLE_BASE + GRANULE, GRANULE, &access, 1) == CUDA_SUCCESS;
  if (!read_only)
    allow(CS_TABLE_BASE + GRANULE, GRANULE, CU_MEM_ACCESS_FLAGS_PROT_READWRITE);
  expect_word(CS_TABLE_BASE + GRANULE, 0);
  expect_word(CS_TABLE_BASE + 2 * GRANULE - 8, 0);
  cs_cli_probe_end(CS_CLI_HOLDS, "%s",
                   read_only ? "mapped read-only" : "mapped writable: there are no read-only mappings");
}

void cs_cli_probe_remapping(void) {
  cs_cli_probe_open();
  reserve(CS_TABLE_BASE, GRANULE);
  for (cs_u64 turn = 1; turn <= 8; turn++) {
    map(CS_TABLE_BASE, create());
    write_word(CS_TABLE_BASE, turn);
    expect_word(CS_TABLE_BASE, turn);
    CALL(MemUnmap, CS_TABLE_BASE, GRANULE);
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

void cs_cli_probe_mapping_cost(void) {
  enum { TURNS = 64 };
  const double most = 5;
  cs_cli_probe_open();
  CUmemGenericAllocationHandle handle = create();
  reserve(CS_TABLE_BASE, GRANULE);
  double start = now();
  for (int i = 0; i < TURNS; i++) {
    map(CS_TABLE_BASE, handle);
    CALL(MemUnmap, CS_TABLE_BASE, GRANULE);
  }
  double each = (now() - start) / TURNS;
  cs_cli_probe_end(each <= most ? CS_CLI_HOLDS : CS_CLI_FAILS, "%.3f ms", each);
}

static int has(CUdevice_attribute which) {
  int value = 0;
  return !cs_cli_cuda.DeviceGetAttribute(&value, which, 0) && value;
}

/* As choose_host_location() in vmm_driver.c. */
static CUmemLocation host_location(void) {
  int node = 0;
  if (has(CU_DEVICE_ATTRIBUTE_HOST_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED))
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0};
  if (has(CU_DEVICE_ATTRIBUTE_HOST_NUMA_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED) &&
      !cs_cli_cuda.DeviceGetAttribute(&node, CU_DEVICE_ATTRIBUTE_HOST_NUMA_ID, 0) && node >= 0)
    return (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST_NUMA, node};
  return (CUmemLocation){CU_MEM_LOCATION_TYPE_DEVICE, 0};
}

void cs_cli_probe_host_access(void) {
  cs_cli_probe_open();
  CUmemGenericAllocationHandle handle;
  CUmemAllocationProp p = properties(0);
  p.location = host_location();
  int on_device = p.location.type == CU_MEM_LOCATION_TYPE_DEVICE;
  CUmemAccessDesc access[] = {
      {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE},
      {on_device ? (CUmemLocation){CU_MEM_LOCATION_TYPE_HOST, 0} : p.location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE}};
  CALL(MemCreate, &handle, GRANULE, &p, 0);
  CUdeviceptr at = reserve(CS_TABLE_BASE, GRANULE);
  CALL(MemMap, at, GRANULE, 0, handle, 0);
  CALL(MemSetAccess, at, GRANULE, access, 2);
  *(volatile cs_u64 *)(uintptr_t)at = 5; /* NOLINT(clang-analyzer-core.FixedAddressDereference): mapped above */
  expect_word(at, 5);
  cs_cli_probe_end(CS_CLI_HOLDS, "%s", on_device ? "the memory is the device's" : "the memory is the host's");
}

void cs_cli_probe_contexts(void) {
  CUcontext second;
  cs_cli_probe_open();
  reserve(CS_TABLE_BASE, GRANULE);
  map(CS_TABLE_BASE, create());
  write_word(CS_TABLE_BASE, 3);
  CALL(CtxCreate, &second, NULL, 0, 0);
  CALL(CtxSetCurrent, second);
  expect_word(CS_TABLE_BASE, 3);
  CALL(CtxDestroy, second);
}

void cs_cli_probe_peers(void) {
  enum { MAX = 64 };
  CUmemAccessDesc access[MAX];
  cs_cli_probe_open();
  int count = cs_cli_probe_devices(), reach = 1;
  if (count == 1)
    cs_cli_probe_end(CS_CLI_ABSENT, "there is one device");
  count = count < MAX ? count : MAX;
  for (int i = 0; i < count; i++) {
    int can = 0;
    if (i)
      CALL(DeviceCanAccessPeer, &can, i, 0);
    reach += can;
    access[i] = (CUmemAccessDesc){{CU_MEM_LOCATION_TYPE_DEVICE, i}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
  }
  if (reach < count)
    cs_cli_probe_end(CS_CLI_FAILS, "%d of %d devices can access the first", reach, count);
  reserve(CS_TABLE_BASE, GRANULE);
  CALL(MemMap, CS_TABLE_BASE, GRANULE, 0, create(), 0);
  CALL(MemSetAccess, CS_TABLE_BASE, GRANULE, access, (size_t)count);
  write_word(CS_TABLE_BASE, 4);
  CUcontext last;
  CALL(DevicePrimaryCtxRetain, &last, count - 1);
  CALL(CtxSetCurrent, last);
  expect_word(CS_TABLE_BASE, 4);
  cs_cli_probe_end(CS_CLI_HOLDS, "%d devices", count);
}
