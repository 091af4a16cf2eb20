/* fixture.c: builds what host/ would hand to the diagnosis. */
#include "report/tests/fixture.h"
#include <string.h>

#define TAG 6u /* 512-byte windows */
#define START ((cs_u64)TAG << CS_TAG_SHIFT | 0x40000)

static struct {
  struct cs_module module;
  struct cs_site sites[SITE_COUNT];
  struct cs_frame frames[5];
  char strings[1024];
} table;

static cs_u32 strings_used;

static cs_u32 add_string(const char *text) {
  cs_u32 at = strings_used;
  strcpy(table.strings + at, text);
  strings_used += (cs_u32)strlen(text) + 1;
  return at;
}

static void fill_sites(void) {
  cs_u32 file = add_string("scale.cu");
  cs_u32 scale = add_string("_Z5scalePfi"), store = add_string("_Z5storePfif");
  cs_u32 gather = add_string("_Z6gatherPKfPf");
  table.frames[0] = (struct cs_frame){file, store, 3, 8, 1};
  table.frames[1] = (struct cs_frame){file, scale, 9, 5, CS_NONE};
  table.frames[2] = (struct cs_frame){file, gather, 13, 21, CS_NONE};
  table.frames[3] = (struct cs_frame){file, gather, 14, 2, CS_NONE};
  table.sites[SITE_STORE] = (struct cs_site){0, CS_ACCESS_WRITE, 4, scale};
  table.sites[SITE_GATHER] = (struct cs_site){2, CS_ACCESS_READ, 4, gather};
  table.sites[SITE_ATOMIC] = (struct cs_site){3, CS_ACCESS_ATOMIC, 4, gather};
  table.sites[SITE_BARE] = (struct cs_site){CS_NONE, CS_ACCESS_WRITE, 0, gather};
}

struct cs_module *fixture_table(void) {
  memset(&table, 0, sizeof table);
  strings_used = 1;
  fill_sites();
  table.module = (struct cs_module){.magic = CS_ABI_MAGIC,
                                    .abi_version = CS_ABI_VERSION,
                                    .total_bytes = sizeof table,
                                    .site_count = SITE_COUNT,
                                    .site_offset = sizeof table.module,
                                    .frame_count = 5,
                                    .frame_offset = sizeof table.module + sizeof table.sites,
                                    .string_offset = sizeof table - sizeof table.strings,
                                    .directory = add_string(CUSAFE_TEST_SOURCES)};
  table.module.string_bytes = strings_used;
  return &table.module;
}

size_t fixture_table_bytes(void) {
  return sizeof table;
}

static const struct cs_source allocation[] = {
    {.function = "main", .file = "scale.cu", .pc = 0x55d0c0de1234, .line = 30, .column = 3},
    {.function = "__libc_start_main", .module = "/lib/libc.so.6", .pc = 0x7f0000027305},
};
static const struct cs_source release[] = {
    {.function = "Pool::drop(float*)",
     .file = "/src/very/deep/tree/of/folders/in/some/large/project/pool/drop.cpp",
     .pc = 0x55d0c0de1300,
     .line = 41},
    {.function = "main", .file = "scale.cu", .pc = 0x55d0c0de1290, .line = 34, .column = 3},
};

const struct cs_stack fixture_free_stack = {release, 2};
const struct cs_buffer fixture_own = {
    .start = START, .size = 400, .allocator = "cuMemAlloc_v2", .allocated_by = {allocation, 2}};
const struct cs_buffer fixture_own_freed = {.start = START,
                                            .size = 400,
                                            .freed = 1,
                                            .allocator = "cuMemAlloc_v2",
                                            .allocated_by = {allocation, 2},
                                            .freed_by = {release, 2}};
const struct cs_buffer fixture_other = {
    .start = START + 512, .size = 256, .allocator = "cuMemAllocManaged", .allocated_by = {allocation, 1}};

struct cs_record fixture_record(cs_u32 site, cs_i64 offset, cs_u64 size) {
  return (struct cs_record){.address = START + (cs_u64)offset,
                            .root = START,
                            .word = cs_meta_word(START, 400),
                            .size = size,
                            .site = site,
                            .block = {3, 0, 0},
                            .thread = {31, 1, 0},
                            .ready = 1};
}

struct cs_evidence fixture_evidence(const struct cs_record *record, const struct cs_buffer *own) {
  return (struct cs_evidence){.event = CS_EVENT_ACCESS,
                              .record = record,
                              .module = fixture_table(),
                              .module_bytes = sizeof table,
                              .placement = CS_PLACEMENT_TABLE,
                              .count = 1,
                              .own = own};
}
