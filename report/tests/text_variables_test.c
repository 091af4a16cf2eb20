/* text_variables_test.c: reports of variables, null, fields and frees in kernels against their golden files. */
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include "report/tests/golden.h"

static void compare(const char *name, const struct cs_record *record) {
  struct cs_evidence evidence = fixture_evidence(record, NULL);
  golden_compare(name, &evidence);
}

static void named(const char *name, cs_u32 site, cs_i64 offset, cs_u64 bytes) {
  struct cs_record record = fixture_named(site, offset, bytes);
  compare(name, &record);
}

static void named_variables(void **state) {
  (void)state;
  named("local-past-the-end", SITE_LOCAL, 68, 64);
  named("local-across-the-end", SITE_LOCAL, 61, 64);
  named("local-after-scope", SITE_LOCAL, 8, 0);
  named("shared-before-the-start", SITE_SHARED, -4, 128);
  named("dynamic-shared-past-the-end", SITE_DYNAMIC, 1024, 1024);
  named("dynamic-shared-none", SITE_DYNAMIC, 12, 0);
  named("device-variable", SITE_VARIABLE, 65, 64);
  named("constant-variable", SITE_CONSTANT, 4096, 32);
}

/* The device has found the variable by its address, or the load is of a local variable, whose address is unknown. */
static void uninitialised_variables(void **state) {
  (void)state;
  struct cs_record shared = fixture_named(SITE_INIT, 8, 128);
  shared.size = 0;
  shared.other_site = SITE_GATHER;
  shared.variable_site = SITE_SHARED + 1;
  compare("uninitialised-shared", &shared);
  shared.variable_site = SITE_DYNAMIC + 1;
  compare("uninitialised-dynamic-shared", &shared);
  struct cs_record local = fixture_named(SITE_INIT, 0, 0);
  local.address = local.root = 0;
  local.size = 0;
  local.other_site = SITE_LOCAL;
  compare("uninitialised-local", &local);
}

/* A shuffle has brought the value, or something that the device does not follow. */
static void uninitialised_elsewhere(void **state) {
  (void)state;
  struct cs_record record = fixture_named(SITE_INIT, 8, 128);
  record.size = 1;
  record.other_site = SITE_GATHER;
  record.other_thread[0] = 5;
  record.variable_site = SITE_SHARED + 1;
  compare("uninitialised-other-thread", &record);
  record.address = record.root = record.start = record.bytes = 0;
  record.size = 0;
  record.other_site = CS_NONE;
  record.variable_site = 0;
  compare("uninitialised-unknown", &record);
}

static void form(const char *name, cs_u64 root, cs_i64 offset, cs_u64 bytes) {
  struct cs_record record = fixture_form(root, offset, bytes);
  compare(name, &record);
}

static void escaped_variables(void **state) {
  (void)state;
  const cs_u64 at = FIXTURE_VARIABLE;
  form("escaped-local", cs_local_pointer(at, 3, 17), 68, 64);
  form("escaped-local-after-scope", cs_local_pointer(at, 3, 17), 8, 0);
  form("escaped-local-lost", cs_far_pointer(at + (1 << 20), at, 3), 1 << 20, 0);
  form("escaped-shared", cs_shared_pointer(at, at), 128, 128);
  form("escaped-shared-ended", cs_shared_pointer(at, at), 0, 0);
  form("escaped-dynamic-shared", at | CS_OBJECT_BIT | CS_MARK | CS_SHARED_DYNAMIC << CS_OBJECT_SHIFT, -16, 1);
  form("escaped-module-variable", at | CS_OBJECT_BIT | 5ull << CS_OBJECT_SHIFT, 64, 64);
  form("escaped-module-variable-unloaded", at | CS_OBJECT_BIT | 5ull << CS_OBJECT_SHIFT, 0, 0);
}

static void null_pointers(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_POINTER, 0, 4);
  record.root = record.address = record.word = 0;
  compare("null", &record);
  record.address = 16;
  compare("null-and-an-index", &record);
  record.address = ~0ull - 3;
  compare("null-and-a-negative-index", &record);
  record.root = record.address = 24;
  compare("null-and-a-member", &record);
}

static void misaligned(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_POINTER, 2, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  golden_compare("misaligned", &evidence);
  form("misaligned-variable", cs_local_pointer(FIXTURE_VARIABLE, 3, 17), 2, 64);
  form("misaligned-unknown-memory", 0x7f0000001000, 2, ~0ull);
}

static void fields(void **state) {
  (void)state;
  struct cs_record record = {.size = 5, .start = 4, .site = SITE_FIELD, .thread = {7, 0, 0}};
  compare("field-overflow", &record);
  record.size = (cs_u64)-1;
  record.start = 1;
  compare("field-overflow-negative", &record);
  record.size = 1ull << 40;
  record.start = 0;
  compare("field-overflow-unknown-length", &record);
}

static void arrays(void **state) {
  (void)state;
  struct cs_record record = {
      .address = FIXTURE_VARIABLE + 68, .start = FIXTURE_VARIABLE, .bytes = 64, .site = SITE_ARRAY};
  compare("local-past-the-end-by-index", &record);
  record.start = 0;
  record.address = 68;
  compare("local-past-the-end-no-address", &record);
  record.address = (cs_u64)-4;
  compare("local-before-the-start-no-address", &record);
}

static void frees(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_FREE, 0, 0);
  record.word = 0;
  compare("kernel-free-never-allocated", &record);
  record.word = CS_RECORD_FREED;
  compare("kernel-free-twice", &record);
  record = fixture_record(SITE_FREE, 8, 0);
  record.start = fixture_own.start;
  record.bytes = 400;
  compare("kernel-free-middle", &record);
  record = fixture_form(cs_local_pointer(FIXTURE_VARIABLE, 3, 17), 0, 64);
  record.site = SITE_FREE;
  compare("kernel-free-local", &record);
  record = fixture_record(SITE_FREE, 0, 0);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  golden_compare("kernel-free-of-a-host-buffer", &evidence);
}

static void a_kernels_own_buffers(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_POINTER, 400, 4);
  compare("kernel-buffer-past-the-end", &record);
  record.word = CS_RECORD_FREED;
  compare("kernel-buffer-freed", &record);
  record = fixture_record(SITE_INIT, 8, 0);
  record.start = record.root;
  record.bytes = 400;
  record.other_site = SITE_GATHER;
  compare("kernel-buffer-uninitialised", &record);
  record = fixture_record(SITE_RACE, 8, 4);
  record.start = record.root;
  record.bytes = 400;
  record.other_site = SITE_RACE_WITH;
  compare("kernel-buffer-race", &record);
}

static void damaged_records(void **state) {
  (void)state;
  struct cs_record record = fixture_named(SITE_LOCAL, 8, ~0ull - 1);
  record.size = ~0ull;
  record.block[0] = record.block[1] = record.block[2] = 4000000000u;
  record.thread[0] = record.thread[1] = record.thread[2] = 4000000000u;
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  evidence.count = ~0ull;
  golden_compare("damaged-sizes", &evidence);
  named("damaged-memory-kind", SITE_ODD, 68, 64);
  record = fixture_form(cs_local_pointer(FIXTURE_VARIABLE, 3, 17), 68, 64);
  evidence = fixture_evidence(&record, NULL);
  evidence.access.at.module = NULL;
  golden_compare("no-table-local", &evidence);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(named_variables),
      cmocka_unit_test(uninitialised_variables),
      cmocka_unit_test(uninitialised_elsewhere),
      cmocka_unit_test(escaped_variables),
      cmocka_unit_test(null_pointers),
      cmocka_unit_test(misaligned),
      cmocka_unit_test(fields),
      cmocka_unit_test(arrays),
      cmocka_unit_test(frees),
      cmocka_unit_test(damaged_records),
      cmocka_unit_test(a_kernels_own_buffers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
