/* checked_image.h: a checked module for the fake driver. Each program includes it once. */
#ifndef CUSAFE_HOST_TESTS_CHECKED_IMAGE_H
#define CUSAFE_HOST_TESTS_CHECKED_IMAGE_H

#include "host/tests/program.h"

/* A checked module: its sites are in one kernel that reads past the end of the buffer it is given. */
enum { SITES = 20 };
static struct {
  struct cs_module header;
  struct cs_site sites[SITES];
  struct cs_frame frames[2];
  char strings[64];
} table;
static cs_fault_counts counts[SITES];
static struct cs_state state;
static struct cs_object objects[2] = {{0x1000, 10}, {0x2000, 20}};

static cs_u32 add_string(cs_u32 *used, const char *text) {
  cs_u32 at = *used;
  strcpy(table.strings + at, text);
  *used += (cs_u32)strlen(text) + 1;
  return at;
}

static void make_table(cs_u32 placement) {
  cs_u32 used = 1;
  table.header = (struct cs_module){.magic = CS_ABI_MAGIC,
                                    .abi_version = CS_ABI_VERSION,
                                    .placement = placement,
                                    .total_bytes = sizeof table,
                                    .site_count = SITES,
                                    .site_offset = (cs_u32)offsetof(__typeof__(table), sites),
                                    .frame_count = 2,
                                    .frame_offset = (cs_u32)offsetof(__typeof__(table), frames),
                                    .string_bytes = sizeof table.strings,
                                    .string_offset = (cs_u32)offsetof(__typeof__(table), strings),
                                    .object_count = 2};
  table.frames[0] =
      (struct cs_frame){add_string(&used, "kernel.cu"), add_string(&used, "reads_too_far"), 42, 7, CS_NONE, 0};
  table.frames[1] = (struct cs_frame){table.frames[0].file, add_string(&used, "inlined"), 7, 1, 0, 0};
  for (int i = 0; i < SITES; i++)
    table.sites[i] = (struct cs_site){.access = CS_ACCESS_READ, .size = 4};
}

/* The check that the pass would insert before a 4-byte read at root + offset. */
static void checked_read(cs_u64 root, cs_u64 offset, cs_u32 site) {
  cs_u32 placement = table.header.placement;
  cs_u64 word = *(const cs_u64 *)cs_meta_address(root, placement);
  cs_u64 start = cs_meta_start(root, placement, word), size = cs_meta_size(root, word);
  if (!cs_is_tagged(root) || root + offset - start + 4 <= size)
    return;
  struct cs_ring *ring = (struct cs_ring *)state.ring;
  ring->errors++;
  ++*(cs_u64 *)ring->bell;
  enum cs_fault fault = size ? CS_FAULT_OUTSIDE : CS_FAULT_FREED;
  if (counts[site][fault]++)
    return;
  cs_u32 index = ring->head++;
  if (index < ring->capacity)
    ((struct cs_record *)(ring + 1))[index] = (struct cs_record){.address = root + offset,
                                                                 .root = root,
                                                                 .word = word,
                                                                 .size = 4,
                                                                 .site = site,
                                                                 .module = state.module,
                                                                 .thread = {5, 0, 0},
                                                                 .ready = 1,
                                                                 .fault = fault};
}

static void kernel(void **parameters) {
  cs_u64 root = *(cs_u64 *)parameters[0], bytes = *(cs_u64 *)parameters[1];
  for (cs_u64 offset = 0; offset < bytes; offset += 4)
    checked_read(root, offset, 0);
}

static void other_kernel(void **parameters) {
  kernel(parameters);
}

static const struct fake_image image = {{{CS_SYM_MODULE, &table, sizeof table},
                                         {CS_SYM_COUNTS, counts, sizeof counts},
                                         {CS_SYM_STATE, &state, sizeof state},
                                         {CS_SYM_OBJECTS, objects, sizeof objects}},
                                        kernel,
                                        2,
                                        other_kernel};

static inline void launch(CUfunction function, CUdeviceptr p, cs_u64 bytes) {
  void *parameters[] = {&p, &bytes};
  CHECK(!cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, NULL, parameters, NULL));
}

#endif
