/* fake_vmm.c: a device's virtual memory, simulated by a memory file. */
#include "host/tests/fake_vmm.h"
#include <assert.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { RESERVATIONS_MAX = 4096, GRANULES_MAX = 1 << 20 };

struct fake_state fake;
static int file = -1;
static cs_u64 file_end;
static struct {
  cs_u64 address, bytes;
} reservations[RESERVATIONS_MAX];
static int reservation_count;
static cs_u64 sizes[GRANULES_MAX]; /* by granule of the file: bytes of the allocation that starts there */

static void *at(cs_u64 address) {
  return (void *)address;
}

static int fake_reserve(cs_u64 address, cs_u64 bytes) {
  if (address < fake.refuse_end && address + bytes > fake.refuse_below)
    return CS_HOST_VMM_NEVER;
  void *p =
      mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
  if (p == MAP_FAILED)
    return CS_HOST_VMM_NEVER;
  assert(p == at(address) && reservation_count < RESERVATIONS_MAX);
  reservations[reservation_count].address = address;
  reservations[reservation_count++].bytes = bytes;
  return 0;
}

static int fake_create(int device, cs_u64 bytes, cs_u64 *handle) {
  (void)device;
  if (fake.physical_limit && fake.physical + bytes > fake.physical_limit)
    return 2;
  if (file < 0)
    file = memfd_create("fake device", 0);
  cs_u64 offset = file_end;
  file_end += bytes;
  assert(file_end / CS_HOST_GRANULE < GRANULES_MAX && ftruncate(file, (off_t)file_end) == 0);
  sizes[offset / CS_HOST_GRANULE] = bytes;
  fake.physical += bytes;
  fake.physical_peak = fake.physical > fake.physical_peak ? fake.physical : fake.physical_peak;
  *handle = offset + 1;
  return 0;
}

/* A mapping may keep the memory, so its part of the file is not used again; what it holds so far is lost. */
static void fake_release(cs_u64 handle) {
  cs_u64 *size = &sizes[(handle - 1) / CS_HOST_GRANULE];
  assert(*size);
  fake.physical -= *size;
  fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(handle - 1), (off_t)*size);
  *size = 0;
}

static int fake_map(cs_u64 address, cs_u64 bytes, cs_u64 handle) {
  assert(sizes[(handle - 1) / CS_HOST_GRANULE] == bytes);
  fake.mappings++;
  return mmap(at(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, file, (off_t)(handle - 1)) == MAP_FAILED;
}

static int fake_access(cs_u64 address, cs_u64 bytes, int device, int writable) {
  (void)device;
  return mprotect(at(address), bytes, PROT_READ | (writable ? PROT_WRITE : 0)) != 0;
}

static void fake_unmap(cs_u64 address, cs_u64 bytes) {
  fake.mappings--;
  void *p = mmap(at(address), bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
  assert(p == at(address));
}

static int fake_zero(cs_u64 address, cs_u64 bytes) {
  fake.zeroed += bytes;
  memset(at(address), 0, bytes);
  return 0;
}

static int fake_write(cs_u64 address, const void *data, cs_u64 bytes) {
  fake.writes++;
  memcpy(at(address), data, bytes);
  return 0;
}

static int fake_settle(void) {
  return 0;
}

const struct cs_host_vmm fake_vmm = {
    .reserve = fake_reserve,
    .create = fake_create,
    .release = fake_release,
    .map = fake_map,
    .access = fake_access,
    .unmap = fake_unmap,
    .zero = fake_zero,
    .write = fake_write,
    .settle = fake_settle,
};

void fake_reset(void) {
  for (int i = 0; i < reservation_count; i++)
    munmap(at(reservations[i].address), reservations[i].bytes);
  reservation_count = 0;
  if (file >= 0)
    close(file);
  file = -1;
  file_end = 0;
  memset(sizes, 0, sizeof sizes);
  memset(&fake, 0, sizeof fake);
}
