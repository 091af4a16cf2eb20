/* diagnose_test.c: the rules from evidence to kind and distance. */
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"

/* One access relative to the own buffer, and its expected distance. */
struct access_case {
  cs_i64 offset;
  cs_u64 size;
  cs_u64 distance;
  int before;
};

static void measures_distances(void **state) {
  (void)state;
  static const struct access_case cases[] = {
      {400, 4, 0, 0}, {404, 4, 4, 0}, {398, 4, 0, 0}, {401, 1, 1, 0},        {-4, 4, 4, 1},
      {-1, 1, 1, 1},  {-2, 4, 2, 1},  {0, 401, 0, 0}, {100000, 8, 99600, 0}, {-1, 1000, 1, 1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_record record = fixture_record(SITE_STORE, cases[i].offset, cases[i].size);
    struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
    struct cs_finding f;
    assert_int_equal(cs_diagnose(&evidence, &f), 0);
    assert_int_equal(f.kind, CS_KIND_OUT_OF_BOUNDS);
    assert_int_equal(f.outside, 1);
    assert_int_equal(f.before, cases[i].before);
    assert_int_equal(f.distance, cases[i].distance);
    cs_finding_release(&f);
  }
}

static enum cs_kind kind_of(const struct cs_evidence *evidence) {
  struct cs_finding f;
  assert_int_equal(cs_diagnose(evidence, &f), 0);
  cs_finding_release(&f);
  return f.kind;
}

static void a_cleared_word_is_a_use_after_free(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 8, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own_freed);
  record.word = 0;
  assert_int_equal(kind_of(&evidence), CS_KIND_USE_AFTER_FREE);
  record.word = cs_meta_word(fixture_own.start, 400) ^ 1ull << 63; /* another slot's word */
  assert_int_equal(kind_of(&evidence), CS_KIND_USE_AFTER_FREE);
}

/* The host may free a buffer between the invalid access and the draining of the record. */
static void a_word_that_was_alive_is_out_of_bounds(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own_freed);
  struct cs_finding f;
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_int_equal(f.kind, CS_KIND_OUT_OF_BOUNDS);
  assert_false(f.own->freed);
  cs_finding_release(&f);
}

static void a_window_that_was_reused_is_a_use_after_free(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 8, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  record.word = 0;
  assert_int_equal(kind_of(&evidence), CS_KIND_USE_AFTER_FREE);
}

static void a_pointer_without_a_buffer_is_wild(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 8, 4);
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  record.word = 0;
  assert_int_equal(kind_of(&evidence), CS_KIND_WILD_POINTER);
  record.root = CS_MARK | CS_DISTANCE_LOST << CS_DISTANCE_SHIFT | record.address;
  record.word = ~0ull;
  assert_int_equal(kind_of(&evidence), CS_KIND_WILD_POINTER);
}

static void a_marked_root_leads_back_to_its_buffer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 512 + 8, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own_freed);
  record.root = cs_mark(record.address, fixture_own.start);
  assert_true(cs_is_marked(record.root));
  assert_int_equal(kind_of(&evidence), CS_KIND_OUT_OF_BOUNDS);
  record.word = 0;
  assert_int_equal(kind_of(&evidence), CS_KIND_USE_AFTER_FREE);
}

/* ---- pointers that host code computed outside their buffer ---- */

static struct cs_evidence stray_evidence(struct cs_record *record, cs_i64 root, cs_i64 address) {
  *record = fixture_record(SITE_STORE, address, 4);
  record->root = fixture_own.start + (cs_u64)root;
  record->word = record->start = record->bytes = 0;
  struct cs_evidence evidence = fixture_evidence(record, NULL);
  evidence.access.near_root = evidence.access.near_address = &fixture_own;
  return evidence;
}

static void a_stray_pointer_belongs_to_the_nearest_buffer(void **state) {
  (void)state;
  static const struct {
    cs_i64 root, address;
    cs_u64 distance;
    int before;
  } cases[] = {{-4, -4, 4, 1}, {-4, 400, 0, 0}, {-808, 404, 4, 0}, {900, -8, 8, 1}, {-100000, 400, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_record record;
    struct cs_evidence evidence = stray_evidence(&record, cases[i].root, cases[i].address);
    struct cs_finding f;
    evidence.touched = &fixture_own;
    evidence.around = &fixture_own;
    evidence.around_count = 1;
    assert_int_equal(cs_diagnose(&evidence, &f), 0);
    assert_int_equal(f.kind, CS_KIND_OUT_OF_BOUNDS);
    assert_true(f.stray && f.outside && f.before == cases[i].before && f.distance == cases[i].distance);
    assert_true(f.own == &fixture_own && !f.touched && f.around_count == 0);
    cs_finding_release(&f);
  }
}

/* The closer of the two decides, since an array of two dimensions may start closer to another buffer. */
static void a_stray_pointer_between_two_buffers(void **state) {
  (void)state;
  struct cs_record record;
  struct cs_evidence evidence = stray_evidence(&record, 512 - 96, 512 + 256);
  struct cs_finding f;
  evidence.access.near_address = &fixture_other;
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_true(f.kind == CS_KIND_OUT_OF_BOUNDS && f.own == &fixture_other);
  cs_finding_release(&f);
  record.address = fixture_other.start + 1000000; /* near no buffer */
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_true(f.kind == CS_KIND_OUT_OF_BOUNDS && f.own == &fixture_own);
  cs_finding_release(&f);
}

static void a_root_near_no_buffer_is_wild(void **state) {
  (void)state;
  struct cs_record record;
  struct cs_evidence evidence = stray_evidence(&record, -4097, -4097);
  assert_int_equal(kind_of(&evidence), CS_KIND_WILD_POINTER);
  evidence.access.near_root = evidence.access.near_address = NULL;
  assert_int_equal(kind_of(&evidence), CS_KIND_WILD_POINTER);
}

static void a_stray_pointer_can_be_misaligned(void **state) {
  (void)state;
  struct cs_record record;
  struct cs_evidence evidence = stray_evidence(&record, -4, 2);
  record.site = SITE_POINTER;
  assert_int_equal(kind_of(&evidence), CS_KIND_MISALIGNED);
  record.address = fixture_own.start; /* valid now, so the buffer is newer than the access */
  assert_int_equal(kind_of(&evidence), CS_KIND_WILD_POINTER);
}

/* A root inside a freed buffer, or an access inside one, is a use after free, whatever lives nearby. */
static void stray_or_stale(void **state) {
  (void)state;
  struct cs_record record;
  struct cs_evidence evidence = stray_evidence(&record, 8, 1200);
  evidence.own = &fixture_own_freed;
  evidence.access.near_root = evidence.access.near_address = &fixture_other;
  assert_int_equal(kind_of(&evidence), CS_KIND_USE_AFTER_FREE);
  record.root = fixture_own.start + 508; /* next to the other buffer, and no pointer to the freed one */
  record.address = fixture_other.start - 4;
  struct cs_finding f;
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_true(f.kind == CS_KIND_OUT_OF_BOUNDS && f.own == &fixture_other && f.distance == 4 && f.before);
  cs_finding_release(&f);
  record.address = fixture_own.start + 8;
  assert_int_equal(kind_of(&evidence), CS_KIND_USE_AFTER_FREE);
  evidence = stray_evidence(&record, -4, 0);
  evidence.access.freed_there = &fixture_own_freed;
  evidence.access.near_root = evidence.access.near_address = &fixture_other;
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_true(f.kind == CS_KIND_USE_AFTER_FREE && f.own == &fixture_own_freed && f.stray);
  cs_finding_release(&f);
}

/* Pointers past the end, in the slack of their own window, stay with their buffer, even if it was freed since. */
static void the_slack_belongs_to_its_buffer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 504, 4);
  record.root = fixture_own.start + 504;
  const struct cs_buffer *owners[] = {&fixture_own, &fixture_own_freed};
  for (int i = 0; i < 2; i++) {
    struct cs_evidence evidence = fixture_evidence(&record, owners[i]);
    struct cs_finding f;
    evidence.access.near_root = evidence.access.near_address = &fixture_other;
    assert_int_equal(cs_diagnose(&evidence, &f), 0);
    assert_true(f.kind == CS_KIND_OUT_OF_BOUNDS && f.own->start == fixture_own.start && !f.stray && f.distance == 104);
    cs_finding_release(&f);
  }
}

static void the_word_replaces_an_unknown_buffer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 404, 4);
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  struct cs_finding f;
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_int_equal(f.kind, CS_KIND_OUT_OF_BOUNDS);
  assert_int_equal(f.own->size, 400);
  assert_int_equal(f.distance, 4);
  cs_finding_release(&f);
}

static void distinguishes_invalid_frees(void **state) {
  (void)state;
  struct cs_evidence evidence = {.event = CS_EVENT_FREE, .own = &fixture_own_freed, .here = fixture_free_stack};
  evidence.free.pointer = fixture_own.start;
  assert_int_equal(kind_of(&evidence), CS_KIND_DOUBLE_FREE);
  evidence.free.pointer = fixture_own.start + 8;
  assert_int_equal(kind_of(&evidence), CS_KIND_INVALID_FREE);
  evidence.own = &fixture_own;
  assert_int_equal(kind_of(&evidence), CS_KIND_INVALID_FREE);
  evidence.own = NULL;
  assert_int_equal(kind_of(&evidence), CS_KIND_INVALID_FREE);
}

static void the_host_kernel_overrides_the_table(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  struct cs_finding f;
  evidence.kernel = "_Z7anotherv";
  assert_int_equal(cs_diagnose(&evidence, &f), 0);
  assert_string_equal(f.kernel, "another()");
  assert_string_equal(f.where.frames[1].function, "scale(float*, int)");
  cs_finding_release(&f);
}

/* ---- out of memory ---- */

void *__real_cs_report_arena_new(void **arena, size_t bytes);
void *__wrap_cs_report_arena_new(void **arena, size_t bytes);
static int allocations = -1; /* that still succeed; -1: all */

void *__wrap_cs_report_arena_new(void **arena, size_t bytes) {
  if (allocations == 0)
    return NULL;
  allocations -= allocations > 0;
  return __real_cs_report_arena_new(arena, bytes);
}

/* The caller of a diagnosis that failed has nothing to release. */
static void a_failed_diagnosis_keeps_no_memory(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 404, 4);
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  struct cs_finding f;
  int failures = 0;
  for (int limit = 0; limit < 100; limit++) {
    allocations = limit;
    int failed = cs_diagnose(&evidence, &f);
    allocations = -1;
    if (failed)
      assert_null(f.memory);
    failures += failed != 0;
    cs_finding_release(&f);
  }
  assert_in_range(failures, 2, 98);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(measures_distances),
      cmocka_unit_test(a_cleared_word_is_a_use_after_free),
      cmocka_unit_test(a_word_that_was_alive_is_out_of_bounds),
      cmocka_unit_test(a_window_that_was_reused_is_a_use_after_free),
      cmocka_unit_test(a_pointer_without_a_buffer_is_wild),
      cmocka_unit_test(a_marked_root_leads_back_to_its_buffer),
      cmocka_unit_test(a_stray_pointer_belongs_to_the_nearest_buffer),
      cmocka_unit_test(a_stray_pointer_between_two_buffers),
      cmocka_unit_test(a_root_near_no_buffer_is_wild),
      cmocka_unit_test(a_stray_pointer_can_be_misaligned),
      cmocka_unit_test(stray_or_stale),
      cmocka_unit_test(the_slack_belongs_to_its_buffer),
      cmocka_unit_test(the_word_replaces_an_unknown_buffer),
      cmocka_unit_test(distinguishes_invalid_frees),
      cmocka_unit_test(the_host_kernel_overrides_the_table),
      cmocka_unit_test(a_failed_diagnosis_keeps_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
