/* judge_test.c: the rules for device records of other memory than buffers: variables, null, alignment, fields,
 * frees. */
#include "report/formats.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include <string.h>

static struct cs_finding diagnose(const struct cs_record *record, const struct cs_buffer *own) {
  struct cs_evidence evidence = fixture_evidence(record, own);
  struct cs_finding f;
  evidence.touched = own;
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  cs_finding_release(&f);
  return f; /* its strings are released; the rest is valid */
}

static enum cs_kind kind_of(const struct cs_record *record) {
  return diagnose(record, NULL).kind;
}

static const cs_u32 variable_sites[] = {SITE_LOCAL, SITE_SHARED, SITE_DYNAMIC, SITE_VARIABLE, SITE_CONSTANT};
#define VARIABLE_SITES (sizeof variable_sites / sizeof *variable_sites)

static void named_variables_have_bounds(void **state) {
  (void)state;
  for (size_t i = 0; i < VARIABLE_SITES; i++) {
    struct cs_record record = fixture_named(variable_sites[i], 68, 64);
    struct cs_finding f = diagnose(&record, &fixture_own);
    assert_int_equal(f.kind, CS_KIND_OUT_OF_BOUNDS);
    assert_int_equal(f.memory_kind, CS_MEMORY_LOCAL + i);
    assert_int_equal(f.object_bytes, 64);
    assert_int_equal(f.distance, 4);
    assert_null(f.own);
    assert_null(f.touched);
  }
}

static void an_ended_local_is_a_use_after_scope(void **state) {
  (void)state;
  struct cs_record named = fixture_named(SITE_LOCAL, 8, 0);
  assert_int_equal(kind_of(&named), CS_KIND_USE_AFTER_SCOPE);
  cs_u64 local = cs_local_pointer(FIXTURE_VARIABLE, 3, 17);
  struct cs_record escaped = fixture_form(local, 8, 0);
  assert_int_equal(kind_of(&escaped), CS_KIND_USE_AFTER_SCOPE);
  struct cs_record far = fixture_form(cs_far_pointer(FIXTURE_VARIABLE + 4096, FIXTURE_VARIABLE, 3), 4096, 0);
  assert_int_equal(kind_of(&far), CS_KIND_USE_AFTER_SCOPE);
}

struct form_case {
  cs_u64 root;
  enum cs_memory memory;
  enum cs_kind without_bounds;
};

static void escaping_forms_encode_the_memory(void **state) {
  (void)state;
  const cs_u64 at = FIXTURE_VARIABLE, dynamic = at | CS_OBJECT_BIT | CS_MARK | CS_SHARED_DYNAMIC << CS_OBJECT_SHIFT;
  const struct form_case cases[] = {
      {cs_local_pointer(at, 3, 17), CS_MEMORY_LOCAL, CS_KIND_USE_AFTER_SCOPE},
      {cs_far_pointer(at + 512, at, 3), CS_MEMORY_LOCAL, CS_KIND_USE_AFTER_SCOPE},
      {cs_far_pointer(at + (1 << 20), at, 3), CS_MEMORY_LOCAL, CS_KIND_WILD_POINTER}, /* its home is lost */
      {at | CS_OBJECT_BIT | 5ull << CS_OBJECT_SHIFT, CS_MEMORY_VARIABLE, CS_KIND_WILD_POINTER},
      {cs_shared_pointer(at, at), CS_MEMORY_SHARED, CS_KIND_USE_AFTER_SCOPE},
      {dynamic, CS_MEMORY_DYNAMIC_SHARED, CS_KIND_OUT_OF_BOUNDS},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_record record = fixture_form(cases[i].root, 64, 64);
    struct cs_finding f = diagnose(&record, &fixture_own);
    assert_int_equal(f.kind, CS_KIND_OUT_OF_BOUNDS);
    assert_int_equal(f.memory_kind, cases[i].memory);
    assert_null(f.own);
    record.bytes = 0;
    assert_int_equal(kind_of(&record), cases[i].without_bounds);
  }
}

static void small_addresses_are_null(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_POINTER, 0, 4);
  record.root = record.address = record.word = 0;
  assert_int_equal(kind_of(&record), CS_KIND_NULL_POINTER);
  record.root = CS_NULL_BYTES - 1;
  assert_int_equal(kind_of(&record), CS_KIND_NULL_POINTER);
  record.root = 0;
  record.address = ~0ull - 3;
  struct cs_finding f = diagnose(&record, &fixture_own);
  assert_int_equal(f.kind, CS_KIND_NULL_POINTER);
  assert_null(f.own);
  record.root = CS_NULL_BYTES;
  assert_int_equal(kind_of(&record), CS_KIND_WILD_POINTER);
}

static void the_null_side_of_a_choice_is_null(void **state) {
  (void)state;
  struct cs_record record = fixture_named(SITE_SHARED, 0, 64);
  record.address = 12;
  struct cs_finding f = diagnose(&record, NULL);
  assert_int_equal(f.kind, CS_KIND_NULL_POINTER);
  assert_int_equal(f.memory_kind, CS_MEMORY_UNKNOWN);
  record.address = CS_NULL_BYTES;
  assert_int_equal(kind_of(&record), CS_KIND_OUT_OF_BOUNDS);
}

static void minus_one_is_wild(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_POINTER, 0, 4);
  record.root = record.address = ~0ull;
  assert_int_equal(diagnose(&record, &fixture_own).kind, CS_KIND_WILD_POINTER);
}

static void only_an_access_in_bounds_is_misaligned(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_POINTER, 2, 4);
  struct cs_finding f = diagnose(&record, &fixture_own);
  assert_int_equal(f.kind, CS_KIND_MISALIGNED);
  assert_int_equal(f.align, 4);
  assert_int_equal(kind_of(&record), CS_KIND_MISALIGNED); /* the word replaces the buffer */
  assert_int_equal(diagnose(&record, &fixture_own_freed).kind, CS_KIND_MISALIGNED);
  record.word = 0;
  assert_int_equal(diagnose(&record, &fixture_own_freed).kind, CS_KIND_USE_AFTER_FREE);
  record = fixture_record(SITE_POINTER, 402, 4);
  assert_int_equal(diagnose(&record, &fixture_own).kind, CS_KIND_OUT_OF_BOUNDS);
  record = fixture_record(SITE_GATHER, 2, 4); /* a site that needs no alignment */
  assert_int_equal(diagnose(&record, &fixture_own).kind, CS_KIND_USE_AFTER_FREE);
}

static void variables_and_unknown_memory_can_be_misaligned(void **state) {
  (void)state;
  struct cs_record record = fixture_form(cs_local_pointer(FIXTURE_VARIABLE, 3, 17), 2, 64);
  assert_int_equal(kind_of(&record), CS_KIND_MISALIGNED);
  record.address += 61;
  assert_int_equal(kind_of(&record), CS_KIND_OUT_OF_BOUNDS);
  record.root = record.start = 0x7f0000001000;
  record.bytes = ~0ull;
  assert_int_equal(kind_of(&record), CS_KIND_MISALIGNED);
}

static void fields_have_an_index(void **state) {
  (void)state;
  struct cs_record record = {.size = (cs_u64)-1, .start = 4, .site = SITE_FIELD};
  struct cs_finding f = diagnose(&record, &fixture_own);
  assert_int_equal(f.kind, CS_KIND_FIELD_OVERFLOW);
  assert_int_equal(f.access, CS_ACCESS_COUNT);
  assert_int_equal(f.index, -1);
  assert_int_equal(f.elements, 4);
  assert_int_equal(f.size, 0);
  assert_null(f.own);
}

static void arrays_are_variables(void **state) {
  (void)state;
  struct cs_record record = {.address = (cs_u64)-8, .bytes = 64, .site = SITE_ARRAY};
  struct cs_finding f = diagnose(&record, &fixture_own);
  assert_int_equal(f.kind, CS_KIND_OUT_OF_BOUNDS);
  assert_int_equal(f.access, CS_ACCESS_WRITE);
  assert_int_equal(f.size, 4);
  assert_true(f.placeless && f.outside && f.before);
  assert_int_equal(f.distance, 8);
  assert_null(f.own);
  record.start = FIXTURE_VARIABLE;
  record.address = FIXTURE_VARIABLE + 72;
  f = diagnose(&record, &fixture_own);
  assert_true(!f.placeless && f.outside && !f.before);
  assert_int_equal(f.address, FIXTURE_VARIABLE + 72);
  assert_int_equal(f.distance, 8);
}

static void frees_in_kernels(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_FREE, 0, 0);
  record.word = 0;
  assert_int_equal(kind_of(&record), CS_KIND_INVALID_FREE);
  assert_int_equal(diagnose(&record, &fixture_own).kind, CS_KIND_INVALID_FREE);
  assert_int_equal(diagnose(&record, &fixture_own_freed).kind, CS_KIND_DOUBLE_FREE);
  record.word = CS_RECORD_FREED;
  assert_int_equal(kind_of(&record), CS_KIND_DOUBLE_FREE);
  record = fixture_record(SITE_FREE, 8, 0);
  record.start = fixture_own.start;
  record.bytes = 400;
  struct cs_finding f = diagnose(&record, NULL);
  assert_int_equal(f.kind, CS_KIND_INVALID_FREE);
  assert_non_null(f.own);
  record = fixture_form(cs_local_pointer(FIXTURE_VARIABLE, 3, 17), 0, 64);
  record.site = SITE_FREE;
  f = diagnose(&record, &fixture_own);
  assert_int_equal(f.kind, CS_KIND_INVALID_FREE);
  assert_int_equal(f.memory_kind, CS_MEMORY_LOCAL);
  assert_null(f.own);
}

static void a_kernels_own_buffers(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_POINTER, 8, 4);
  record.word = CS_RECORD_FREED;
  assert_int_equal(kind_of(&record), CS_KIND_USE_AFTER_FREE);
}

/* An overwritten table or record may hold anything: the finding is then arbitrary, but consistent. */
/* The site does not know that its pointer leads to a buffer. */
static void a_race_in_a_buffer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_RACE, 8, 4);
  record.other_site = SITE_RACE_WITH;
  record.other_block[0] = record.block[0] + 1;
  struct cs_finding f = diagnose(&record, &fixture_own);
  assert_int_equal(f.kind, CS_KIND_DATA_RACE);
  assert_int_equal(f.memory_kind, CS_MEMORY_UNKNOWN);
  assert_ptr_equal(f.own, &fixture_own);
  assert_false(f.is_same_block || f.is_same_warp);
  memcpy(record.other_block, record.block, sizeof record.block);
  assert_true(diagnose(&record, &fixture_own).is_same_block);
}

static void survives_arbitrary_records(void **state) {
  (void)state;
  static const cs_u64 values[] = {0,
                                  1,
                                  7,
                                  400,
                                  FIXTURE_VARIABLE,
                                  FIXTURE_VARIABLE | CS_OBJECT_BIT,
                                  FIXTURE_VARIABLE | CS_OBJECT_BIT | CS_MARK,
                                  15ull << CS_OBJECT_TAG_SHIFT | CS_OBJECT_BIT,
                                  CS_MARK,
                                  ~0ull,
                                  ~0ull - 8,
                                  1ull << 62};
  const size_t count = sizeof values / sizeof *values;
  FILE *out = fopen("/dev/null", "w");
  assert_non_null(out);
  for (size_t i = 0; i < 40000; i++) {
    size_t r = i * 2654435761u;
    struct cs_record record = {.address = values[r % count],
                               .root = values[r / 16 % count],
                               .word = values[r / 256 % count],
                               .size = values[r / 4096 % count],
                               .start = values[r / 65536 % count],
                               .bytes = values[r / 1048576 % count],
                               .site = (cs_u32)(i % (SITE_COUNT + 1))};
    struct cs_evidence evidence = fixture_evidence(&record, r & 1 ? &fixture_own : NULL);
    struct cs_finding f;
    evidence.access.at.module = r & 2 ? evidence.access.at.module : NULL;
    assert_int_equal(cs_diagnose(&evidence, &f), 0);
    assert_in_range(f.kind, 0, CS_KIND_COUNT - 1);
    assert_in_range(f.memory_kind, 0, CS_MEMORY_COUNT - 1);
    f.where.count = 0; /* no need for 40,000 excerpts */
    cs_format_text.finding(&f, NULL, out);
    cs_finding_release(&f);
  }
  fclose(out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(named_variables_have_bounds),
      cmocka_unit_test(an_ended_local_is_a_use_after_scope),
      cmocka_unit_test(escaping_forms_encode_the_memory),
      cmocka_unit_test(small_addresses_are_null),
      cmocka_unit_test(the_null_side_of_a_choice_is_null),
      cmocka_unit_test(minus_one_is_wild),
      cmocka_unit_test(only_an_access_in_bounds_is_misaligned),
      cmocka_unit_test(variables_and_unknown_memory_can_be_misaligned),
      cmocka_unit_test(fields_have_an_index),
      cmocka_unit_test(arrays_are_variables),
      cmocka_unit_test(frees_in_kernels),
      cmocka_unit_test(a_kernels_own_buffers),
      cmocka_unit_test(a_race_in_a_buffer),
      cmocka_unit_test(survives_arbitrary_records),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
