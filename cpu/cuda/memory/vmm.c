/* vmm.c: virtual memory management: reservations, physical handles, mappings and access.
 *
 * All physical memory of a device is one sparse memory file whose offsets are handed out upwards and never reused, so
 * that the kernel merges adjacent mappings of adjacent handles (it limits the number of mappings in a process). A
 * reservation is inaccessible anonymous memory, and so is a mapping without access; the first access that is granted
 * replaces it by a part of the file. */
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/ranges.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/memory/leaving.h"
#include "cpu/cuda/work/devices.h"
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct physical {
  uint32_t magic;
  int device;
  uint64_t offset;
  size_t size;
  unsigned handles, mappings; /* under cs_cpu_memory_lock(); the memory is freed when both are 0 */
  CUmemAllocationProp properties;
};

static struct cs_cpu_ranges reservations; /* under cs_cpu_memory_lock() */
static struct {
  int file; /* -1 failed, 0 not yet opened */
  uint64_t next;
} files[CS_CPU_MAX_DEVICES]; /* under cs_cpu_memory_lock() */

#define FILE_BYTES ((off_t)1 << 62)
#define RESERVED (MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE)

static void *pointer_to(uint64_t address) {
  return (void *)(uintptr_t)address;
}

static size_t granularity(void) {
  return (size_t)cs_cpu_anomalies()->granularity;
}

static int aligned(uint64_t value) {
  return value % granularity() == 0;
}

/* --- reservations --- */

static uint64_t map_reservation(uint64_t hint, size_t size, int flags) {
  void *memory = mmap(pointer_to(hint), size, PROT_NONE, RESERVED | flags, -1, 0);
  return memory == MAP_FAILED ? 0 : (uint64_t)(uintptr_t)memory;
}

/* The hint when it is free; otherwise anywhere. */
static uint64_t reserve(uint64_t hint, size_t size, size_t alignment) {
  if (hint && hint % alignment == 0 && !cs_cpu_anomaly_refuses(hint)) {
    uint64_t got = map_reservation(hint, size, MAP_FIXED_NOREPLACE);
    if (got == hint)
      return got;
    if (got) /* kernels before 4.17 take the address as a hint */
      munmap(pointer_to(got), size);
  }
  uint64_t got = map_reservation(0, size + alignment, 0);
  if (!got)
    return 0;
  uint64_t start = (got + alignment - 1) / alignment * alignment;
  if (start > got)
    munmap(pointer_to(got), start - got);
  munmap(pointer_to(start + size), got + alignment - start);
  return start;
}

CUresult cuMemAddressReserve(CUdeviceptr *out, size_t size, size_t alignment, CUdeviceptr hint,
                             unsigned long long flags) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (alignment < granularity())
    alignment = alignment & (alignment - 1) ? 3 : granularity();
  if (!out || size == 0 || !aligned(size) || (alignment & (alignment - 1)) || flags != 0 || size + alignment < size)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_range *range = calloc(1, sizeof *range);
  if (!range)
    return CUDA_ERROR_OUT_OF_MEMORY;
  range->start = reserve(hint, size, alignment);
  range->size = size;
  if (!range->start) {
    free(range);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  cs_cpu_memory_lock();
  cs_cpu_ranges_insert(&reservations, range);
  cs_cpu_memory_unlock();
  *out = range->start;
  return CUDA_SUCCESS;
}

CUresult cuMemAddressFree(CUdeviceptr pointer, size_t size) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_memory_lock();
  while (cs_cpu_leaving_overlaps(pointer, size)) {
    cs_cpu_memory_unlock();
    cs_cpu_memory_wait_for_leaving();
    cs_cpu_memory_lock();
  }
  struct cs_cpu_range *range = cs_cpu_ranges_find(&reservations, pointer);
  int whole = range && range->start == pointer && range->size == size;
  int ours = whole && !cs_cpu_ranges_overlap(&cs_cpu_allocations, pointer, size);
  if (ours) {
    cs_cpu_ranges_remove(&reservations, range);
    munmap(pointer_to(pointer), size);
  }
  cs_cpu_memory_unlock();
  if (ours)
    free(range);
  return ours ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* Whether one or several adjacent reservations cover the range. Under the lock. */
static int is_reserved(uint64_t start, size_t size) {
  uint64_t end = start + size;
  while (start < end) {
    struct cs_cpu_range *range = cs_cpu_ranges_find(&reservations, start);
    if (!range)
      return 0;
    start = range->start + range->size;
  }
  return 1;
}

/* --- physical memory --- */

/* Under the lock. */
static int file_of(int device) {
  if (files[device].file == 0) {
    int file = memfd_create("cusafe-device-memory", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, FILE_BYTES) != 0) {
      close(file);
      file = -1;
    }
    files[device].file = file;
  }
  return files[device].file;
}

static int has_vmm(int device) {
  return cs_cpu_anomalies()->no_vmm != device + 1;
}

static CUresult check_properties(const CUmemAllocationProp *properties) {
  if (!properties || properties->type != CU_MEM_ALLOCATION_TYPE_PINNED || properties->win32HandleMetaData)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return properties->location.type == CU_MEM_LOCATION_TYPE_INVALID ? CUDA_ERROR_INVALID_VALUE
                                                                     : cs_cpu_unsupported("cuMemCreate on the host");
  if (!cs_cpu_device_at(properties->location.id))
    return CUDA_ERROR_INVALID_DEVICE;
  if (!has_vmm(properties->location.id))
    return CUDA_ERROR_NOT_SUPPORTED;
  if (properties->requestedHandleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return CUDA_ERROR_NOT_SUPPORTED; /* as the device's attributes state: callers try */
  return CUDA_SUCCESS;
}

CUresult cuMemCreate(CUmemGenericAllocationHandle *out, size_t size, const CUmemAllocationProp *properties,
                     unsigned long long flags) {
  CUresult result = cs_cpu_check_init();
  if (result == CUDA_SUCCESS)
    result = check_properties(properties);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || size == 0 || !aligned(size) || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  int device = properties->location.id;
  if (cs_cpu_memory_charge(cs_cpu_device_at(device), size) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  struct physical *physical = cs_cpu_object_new(CS_CPU_PHYSICAL, sizeof *physical);
  cs_cpu_memory_lock();
  if (physical && file_of(device) >= 0) {
    physical->device = device;
    physical->size = size;
    physical->handles = 1;
    physical->properties = *properties;
    physical->properties.allocFlags.compressionType = CU_MEM_ALLOCATION_COMP_NONE;
    physical->offset = files[device].next;
    files[device].next += size;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)physical;
  } else {
    result = CUDA_ERROR_OUT_OF_MEMORY;
  }
  cs_cpu_memory_unlock();
  if (result != CUDA_SUCCESS) {
    cs_cpu_memory_refund(cs_cpu_device_at(device), size);
    if (physical)
      cs_cpu_object_delete(physical);
  }
  return result;
}

/* Under the lock: frees the memory once no handle and no mapping refers to it. */
static void drop(struct physical *physical) {
  if (physical->handles || physical->mappings)
    return;
  fallocate(files[physical->device].file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)physical->offset,
            (off_t)physical->size);
  cs_cpu_memory_refund(cs_cpu_device_at(physical->device), physical->size);
  cs_cpu_object_delete(physical);
}

/* Under the lock. A released handle is invalid, even while its memory is still mapped. */
static struct physical *physical_of(CUmemGenericAllocationHandle handle) {
  struct physical *physical = (struct physical *)(uintptr_t)handle;
  return cs_cpu_object_is(physical, CS_CPU_PHYSICAL) && physical->handles ? physical : NULL;
}

CUresult cuMemRelease(CUmemGenericAllocationHandle handle) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_memory_lock();
  cs_cpu_leaving_collect();
  struct physical *physical = physical_of(handle);
  if (physical) {
    physical->handles--;
    drop(physical);
  }
  cs_cpu_memory_unlock();
  return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemRetainAllocationHandle(CUmemGenericAllocationHandle *out, void *address) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!out)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *mapping = cs_cpu_memory_find((uint64_t)(uintptr_t)address);
  int mapped = mapping && mapping->kind == CS_CPU_MEMORY_MAPPED;
  if (mapped) {
    struct physical *physical = mapping->owner;
    physical->handles++;
    *out = (CUmemGenericAllocationHandle)(uintptr_t)physical;
  }
  cs_cpu_memory_unlock();
  return mapped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemGetAllocationGranularity(size_t *out, const CUmemAllocationProp *properties,
                                       CUmemAllocationGranularity_flags option) {
  CUresult result = cs_cpu_check_init();
  if (result == CUDA_SUCCESS)
    result = check_properties(properties);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || (option != CU_MEM_ALLOC_GRANULARITY_MINIMUM && option != CU_MEM_ALLOC_GRANULARITY_RECOMMENDED))
    return CUDA_ERROR_INVALID_VALUE;
  *out = granularity();
  return CUDA_SUCCESS;
}

CUresult cuMemGetAllocationPropertiesFromHandle(CUmemAllocationProp *properties, CUmemGenericAllocationHandle handle) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_memory_lock();
  struct physical *physical = properties ? physical_of(handle) : NULL;
  if (physical)
    *properties = physical->properties;
  cs_cpu_memory_unlock();
  return physical ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

/* --- mappings --- */

static long mapping_count; /* under cs_cpu_memory_lock() */

/* 0, or why an anomaly forbids another mapping of this memory. Under the lock. */
static CUresult refuse_mapping(const struct physical *physical) {
  const struct cs_cpu_anomalies *a = cs_cpu_anomalies();
  if (a->one_mapping && physical->mappings)
    return CUDA_ERROR_NOT_SUPPORTED;
  return a->mappings && mapping_count >= a->mappings ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

/* Under the lock. */
static CUresult map(uint64_t start, size_t size, struct physical *physical) {
  CUresult refused = refuse_mapping(physical);
  if (refused)
    return refused;
  struct cs_cpu_allocation *mapping = calloc(1, sizeof *mapping);
  if (!mapping)
    return CUDA_ERROR_OUT_OF_MEMORY;
  mapping_count++;
  mapping->range.start = start;
  mapping->range.size = size;
  mapping->kind = CS_CPU_MEMORY_MAPPED;
  mapping->device = physical->device;
  mapping->id = cs_cpu_next_id();
  mapping->owner = physical;
  cs_cpu_ranges_insert(&cs_cpu_allocations, &mapping->range);
  physical->mappings++;
  return CUDA_SUCCESS;
}

CUresult cuMemMap(CUdeviceptr pointer, size_t size, size_t offset, CUmemGenericAllocationHandle handle,
                  unsigned long long flags) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (size == 0 || !aligned(size) || !aligned(pointer) || offset != 0 || flags != 0 || pointer + size < pointer)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_anomaly_map();
  cs_cpu_memory_lock();
  struct physical *physical = physical_of(handle);
  if (!physical || size > physical->size || !is_reserved(pointer, size) ||
      cs_cpu_ranges_overlap(&cs_cpu_allocations, pointer, size))
    result = CUDA_ERROR_INVALID_VALUE;
  else
    result = map(pointer, size, physical);
  cs_cpu_memory_unlock();
  return result;
}

/* The mapping that starts exactly at the address and ends by the given end, or NULL. Under the lock. */
static struct cs_cpu_allocation *whole_mapping(uint64_t start, uint64_t end) {
  struct cs_cpu_allocation *mapping = cs_cpu_memory_find(start);
  if (!mapping || mapping->kind != CS_CPU_MEMORY_MAPPED || mapping->range.start != start)
    return NULL;
  return mapping->range.start + mapping->range.size <= end ? mapping : NULL;
}

/* Whether the range consists of whole mappings and nothing else. Under the lock. */
static int whole_mappings(uint64_t start, size_t size) {
  uint64_t end = start + size;
  if (size == 0 || end < start)
    return 0;
  while (start < end) {
    struct cs_cpu_allocation *mapping = whole_mapping(start, end);
    if (!mapping)
      return 0;
    start += mapping->range.size;
  }
  return 1;
}

/* A range that was unmapped, as whole mappings. */
struct unmapped {
  struct cs_cpu_leaving leaving;
  size_t count;
  struct cs_cpu_allocation *mappings[];
};

/* Under the lock. Without another mapping to replace it with, the memory stays, but cannot be accessed. */
static void hide(uint64_t start, uint64_t end) {
  if (mmap(pointer_to(start), end - start, PROT_NONE, RESERVED | MAP_FIXED, -1, 0) == MAP_FAILED)
    mprotect(pointer_to(start), end - start, PROT_NONE);
}

/* Hides what other mappings have not replaced. Under the lock. */
static void hide_old_mappings(uint64_t start, uint64_t end) {
  while (start < end) {
    struct cs_cpu_range *next = cs_cpu_ranges_find(&cs_cpu_allocations, start);
    const struct cs_cpu_allocation *mapping = (struct cs_cpu_allocation *)next;
    if (!next)
      next = cs_cpu_ranges_ceiling(&cs_cpu_allocations, start);
    uint64_t stop = mapping ? next->start + next->size : next ? next->start : end;
    stop = stop < end ? stop : end;
    if (!mapping || !mapping->backed)
      hide(start, stop);
    start = stop;
  }
}

/* Under the lock. */
static void leave(struct cs_cpu_leaving *leaving) {
  struct unmapped *unmapped = (struct unmapped *)leaving;
  hide_old_mappings(leaving->start, leaving->start + leaving->size);
  for (size_t i = 0; i < unmapped->count; i++) {
    struct physical *physical = unmapped->mappings[i]->owner;
    free(unmapped->mappings[i]);
    mapping_count--;
    physical->mappings--;
    drop(physical);
  }
  free(unmapped);
}

/* Under the lock. */
static CUresult unmap_range(uint64_t start, size_t size) {
  struct unmapped *unmapped = malloc(sizeof *unmapped + size / granularity() * sizeof *unmapped->mappings);
  if (!unmapped)
    return CUDA_ERROR_OUT_OF_MEMORY;
  unmapped->leaving = (struct cs_cpu_leaving){.start = start, .size = size, .leave = leave};
  unmapped->count = 0;
  for (uint64_t end = start + size; start < end;) {
    struct cs_cpu_allocation *mapping = whole_mapping(start, end);
    start += mapping->range.size;
    cs_cpu_ranges_remove(&cs_cpu_allocations, &mapping->range);
    unmapped->mappings[unmapped->count++] = mapping;
  }
  cs_cpu_leaving_add(&unmapped->leaving);
  cs_cpu_leaving_collect();
  return CUDA_SUCCESS;
}

CUresult cuMemUnmap(CUdeviceptr pointer, size_t size) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_anomaly_map();
  cs_cpu_memory_lock();
  result = whole_mappings(pointer, size) ? unmap_range(pointer, size) : CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_unlock();
  return result;
}

/* --- access --- */

static int access_valid(const CUmemAccessDesc *access) {
  int device = access->location.type == CU_MEM_LOCATION_TYPE_DEVICE && cs_cpu_device_at(access->location.id);
  int host = access->location.type == CU_MEM_LOCATION_TYPE_HOST;
  int flags = access->flags == CU_MEM_ACCESS_FLAGS_PROT_NONE || access->flags == CU_MEM_ACCESS_FLAGS_PROT_READ ||
              access->flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return (device || host) && flags;
}

/* Whether an anomaly makes the driver refuse this access. */
static int access_refused(const CUmemAccessDesc *access) {
  int lacks = access->location.type == CU_MEM_LOCATION_TYPE_DEVICE && !has_vmm(access->location.id);
  return lacks || (access->flags == CU_MEM_ACCESS_FLAGS_PROT_READ && cs_cpu_anomalies()->no_read_only);
}

/* The process has one page table for all devices, so the widest access applies. */
static int protection_of(const struct cs_cpu_allocation *mapping) {
  unsigned widest = mapping->host_access;
  for (int i = 0; i < CS_CPU_MAX_DEVICES; i++)
    widest = mapping->access[i] > widest ? mapping->access[i] : widest;
  return widest == CU_MEM_ACCESS_FLAGS_PROT_READWRITE                                 ? PROT_READ | PROT_WRITE
         : widest == CU_MEM_ACCESS_FLAGS_PROT_READ && !cs_cpu_anomalies()->unreadable ? PROT_READ
                                                                                      : PROT_NONE;
}

/* Under the lock. 0, or -1 with errno. */
static int protect(struct cs_cpu_allocation *mapping) {
  const struct physical *physical = mapping->owner;
  void *start = pointer_to(mapping->range.start);
  int protection = protection_of(mapping), file = files[physical->device].file;
  if (mapping->backed)
    return mprotect(start, mapping->range.size, protection);
  if (protection == PROT_NONE)
    return 0;
  if (mmap(start, mapping->range.size, protection, MAP_SHARED | MAP_FIXED | MAP_NORESERVE, file,
           (off_t)physical->offset) == MAP_FAILED)
    return -1;
  mapping->backed = 1;
  return 0;
}

/* Under the lock. */
static CUresult set_access(struct cs_cpu_allocation *mapping, const CUmemAccessDesc *accesses, size_t count) {
  for (size_t i = 0; i < count; i++) {
    unsigned char flags = (unsigned char)accesses[i].flags;
    if (accesses[i].location.type == CU_MEM_LOCATION_TYPE_DEVICE)
      mapping->access[accesses[i].location.id] = flags;
    else
      mapping->host_access = flags;
  }
  return protect(mapping) ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_SUCCESS;
}

CUresult cuMemSetAccess(CUdeviceptr pointer, size_t size, const CUmemAccessDesc *accesses, size_t count) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!accesses || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (!access_valid(&accesses[i]))
      return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (access_refused(&accesses[i]))
      return CUDA_ERROR_NOT_SUPPORTED;
  cs_cpu_memory_lock();
  result = whole_mappings(pointer, size) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  for (uint64_t start = pointer; result == CUDA_SUCCESS && start < pointer + size;) {
    struct cs_cpu_allocation *mapping = whole_mapping(start, pointer + size);
    start += mapping->range.size;
    result = set_access(mapping, accesses, count);
  }
  cs_cpu_memory_unlock();
  return result;
}

CUresult cuMemGetAccess(unsigned long long *flags, const CUmemLocation *location, CUdeviceptr pointer) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!flags || !location)
    return CUDA_ERROR_INVALID_VALUE;
  int device = location->type == CU_MEM_LOCATION_TYPE_DEVICE;
  if (device ? !cs_cpu_device_at(location->id) : location->type != CU_MEM_LOCATION_TYPE_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *mapping = cs_cpu_memory_find(pointer);
  int mapped = mapping && mapping->kind == CS_CPU_MEMORY_MAPPED;
  if (mapped)
    *flags = device ? mapping->access[location->id] : mapping->host_access;
  cs_cpu_memory_unlock();
  return mapped ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
