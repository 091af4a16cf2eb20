/* fixture.c: builds the evidence that host/ would pass to the diagnosis. */
#include "report/tests/fixture.h"
#include <string.h>

#define TAG 6u /* 512-byte windows */
#define START ((cs_u64)TAG << CS_TAG_SHIFT | 0x40000)

static struct {
  struct cs_module module;
  struct cs_site sites[SITE_COUNT];
  struct cs_frame frames[23];
  char strings[4096];
} table;

static cs_u32 strings_used;

static cs_u32 add_string(const char *text) {
  cs_u32 at = strings_used;
  strcpy(table.strings + at, text);
  strings_used += (cs_u32)strlen(text) + 1;
  return at;
}

static void fill_buffer_sites(void) {
  cs_u32 file = add_string("scale.cu");
  cs_u32 scale = add_string("_Z5scalePfi"), store = add_string("_Z5storePfif");
  cs_u32 gather = add_string("_Z6gatherPKfPf");
  table.frames[0] = (struct cs_frame){file, store, 3, 8, 1, 0};
  table.frames[1] = (struct cs_frame){file, scale, 9, 5, CS_NONE, 0};
  table.frames[2] = (struct cs_frame){file, gather, 13, 21, CS_NONE, 0};
  table.frames[3] = (struct cs_frame){file, gather, 14, 2, CS_NONE, 0};
  table.sites[SITE_STORE] = (struct cs_site){.frame = 0, .access = CS_ACCESS_WRITE, .size = 4, .kernel = scale};
  table.sites[SITE_GATHER] = (struct cs_site){.frame = 2, .access = CS_ACCESS_READ, .size = 4, .kernel = gather};
  table.sites[SITE_ATOMIC] = (struct cs_site){.frame = 3, .access = CS_ACCESS_ATOMIC, .size = 4, .kernel = gather};
  table.sites[SITE_BARE] = (struct cs_site){.frame = CS_NONE, .access = CS_ACCESS_WRITE, .kernel = gather};
}

static void add_site(cs_u32 site, const char *kernel, cs_u32 line, cs_u32 column, struct cs_site entry) {
  cs_u32 frame = site; /* the buffers' frames are no more than their sites */
  entry.kernel = add_string(kernel);
  entry.frame = frame;
  entry.size = entry.check == CS_CHECK_ACCESS ? 4 : 0;
  entry.align = entry.check == CS_CHECK_ACCESS ? 4 : 0;
  table.frames[frame] = (struct cs_frame){add_string("variables.cu"), entry.kernel, line, column, CS_NONE, 0};
  table.sites[site] = entry;
}

static void add_named(cs_u32 site, cs_u32 line, cs_u32 column, enum cs_memory memory, const char *object) {
  enum cs_access access = line < 16 ? CS_ACCESS_WRITE : CS_ACCESS_READ;
  add_site(site, "_Z3sumPKiPii", line, column,
           (struct cs_site){.access = access, .memory = memory, .object = add_string(object)});
}

static void add_race(cs_u32 site, cs_u32 line, cs_u32 column, enum cs_access access) {
  add_site(site, "_Z3sumPKiPii", line, column,
           (struct cs_site){.check = CS_CHECK_RACE,
                            .access = access,
                            .memory = CS_MEMORY_SHARED,
                            .object = add_string("_ZZ3sumPKiPiiE7partial")});
  table.sites[site].size = 4;
}

static void fill_variable_sites(void) {
  add_named(SITE_LOCAL, 13, 15, CS_MEMORY_LOCAL, "window");
  add_named(SITE_SHARED, 14, 28, CS_MEMORY_SHARED, "_ZZ3sumPKiPiiE7partial");
  add_named(SITE_DYNAMIC, 15, 28, CS_MEMORY_DYNAMIC_SHARED, "_ZZ3sumPKiPiiE7scratch");
  add_named(SITE_VARIABLE, 16, 12, CS_MEMORY_VARIABLE, "table");
  add_named(SITE_CONSTANT, 16, 28, CS_MEMORY_CONSTANT, "coefficients");
  add_site(SITE_POINTER, "_Z3sumPKiPii", 13, 17, (struct cs_site){.access = CS_ACCESS_READ});
  add_site(SITE_FIELD, "_Z4moveP8particlei", 20, 3, (struct cs_site){.check = CS_CHECK_FIELD});
  add_site(SITE_ARRAY, "_Z3sumPKiPii", 13, 15,
           (struct cs_site){.check = CS_CHECK_FIELD,
                            .access = CS_ACCESS_WRITE,
                            .memory = CS_MEMORY_LOCAL,
                            .object = add_string("window")});
  table.sites[SITE_ARRAY].size = 4;
  add_site(SITE_FREE, "_Z4dropPi", 24, 3, (struct cs_site){.check = CS_CHECK_FREE});
  add_race(SITE_RACE, 14, 28, CS_ACCESS_WRITE);
  add_race(SITE_RACE_WITH, 15, 30, CS_ACCESS_READ);
  add_site(SITE_BARRIER, "_Z3sumPKiPii", 15, 3, (struct cs_site){.check = CS_CHECK_BARRIER, .access = CS_ACCESS_COUNT});
  add_site(SITE_WAIT, "_Z3sumPKiPii", 13, 3, (struct cs_site){.check = CS_CHECK_WAIT, .access = CS_ACCESS_COUNT});
  add_site(
      SITE_MASK, "_Z3sumPKiPii", 13, 3,
      (struct cs_site){.check = CS_CHECK_MASK, .access = CS_ACCESS_COUNT, .object = add_string("__shfl_down_sync")});
  add_site(
      SITE_MBARRIER, "_Z3sumPKiPii", 15, 3,
      (struct cs_site){.check = CS_CHECK_MBARRIER, .access = CS_ACCESS_COUNT, .object = add_string("mbarrier.arrive")});
  add_site(SITE_INIT, "_Z3sumPKiPii", 15, 7,
           (struct cs_site){.check = CS_CHECK_INIT, .access = CS_ACCESS_COUNT, .object = add_string("a branch")});
  table.sites[SITE_ODD] = (struct cs_site){
      .frame = CS_NONE, .access = 77, .memory = 4000000000u, .object = 4000000000u, .check = 9, .align = 12};
}

static void fill_toolkit_site(void) {
  cs_u32 header = add_string("/sw/toolkit/include/copy.h"), scale = add_string("_Z5scalePfi");
  table.frames[17] = (struct cs_frame){header, add_string("_Z4copyPfi"), 201, 13, 18, CS_FRAME_TOOLKIT};
  table.frames[18] =
      (struct cs_frame){header, add_string("_Z8copy_allPf"), 36, 3, 22, CS_FRAME_TOOLKIT | CS_FRAME_CALLED};
  table.frames[22] = (struct cs_frame){add_string("scale.cu"), scale, 9, 5, CS_NONE, 0};
  table.sites[SITE_TOOLKIT] = (struct cs_site){.frame = 17, .access = CS_ACCESS_WRITE, .size = 4, .kernel = scale};
}

struct cs_module *fixture_table(void) {
  memset(&table, 0, sizeof table);
  strings_used = 1;
  fill_buffer_sites();
  fill_variable_sites();
  fill_toolkit_site();
  table.module = (struct cs_module){.magic = CS_ABI_MAGIC,
                                    .abi_version = CS_ABI_VERSION,
                                    .total_bytes = sizeof table,
                                    .site_count = SITE_COUNT,
                                    .site_offset = sizeof table.module,
                                    .frame_count = sizeof table.frames / sizeof *table.frames,
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
    {.function = "main",
     .file = "scale.cu",
     .module = "/src/a.out",
     .offset = 0x1234,
     .pc = 0x55d0c0de1234,
     .build = "00112233445566778899aabbccddeeff00112233",
     .line = 30,
     .column = 3},
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
const struct cs_buffer fixture_own_poisoned = {
    .start = START, .size = 400, .freed = 1, .is_poisoned = 1, .whole = &fixture_own, .freed_by = {release, 2}};
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

struct cs_record fixture_named(cs_u32 site, cs_i64 offset, cs_u64 bytes) {
  struct cs_record record = fixture_record(site, 0, 4);
  record.address = FIXTURE_VARIABLE + (cs_u64)offset;
  record.root = record.start = FIXTURE_VARIABLE;
  record.bytes = bytes;
  record.word = 0;
  return record;
}

struct cs_record fixture_form(cs_u64 root, cs_i64 offset, cs_u64 bytes) {
  struct cs_record record = fixture_named(SITE_POINTER, offset, bytes);
  record.root = root;
  return record;
}

struct cs_evidence fixture_evidence(const struct cs_record *record, const struct cs_buffer *own) {
  return (struct cs_evidence){
      .event = CS_EVENT_ACCESS,
      .access = {.at = {record, fixture_table(), sizeof table, "8899aabbccddeeff"}, .placement = CS_PLACEMENT_TABLE},
      .count = 1,
      .own = own};
}
