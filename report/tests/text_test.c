/* text_test.c: every kind of report against its golden file. CUSAFE_UPDATE_GOLDEN=1 writes the files instead. */
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include <stdlib.h>
#include <string.h>

static char *render(const struct cs_evidence *evidence, const struct cs_text_options *options) {
  struct cs_finding finding;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(cs_diagnose(evidence, &finding), 0);
  cs_render_text(&finding, options, out);
  cs_finding_release(&finding);
  fclose(out);
  return text;
}

static char *read_golden(const char *path) {
  char *text = calloc(1, 65536);
  FILE *in = fopen(path, "r");
  if (in) {
    assert_true(fread(text, 1, 65535, in) < 65535);
    fclose(in);
  }
  return text;
}

static void write_golden(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs(text, out);
  fclose(out);
}

static void compare_with(const char *name, const struct cs_evidence *evidence, struct cs_text_options options) {
  char path[4096];
  options.pid = 4242;
  snprintf(path, sizeof path, "%s/%s.txt", CUSAFE_TEST_GOLDEN, name);
  char *text = render(evidence, &options);
  if (getenv("CUSAFE_UPDATE_GOLDEN"))
    write_golden(path, text);
  char *golden = read_golden(path);
  assert_string_equal(text, golden);
  free(golden);
  free(text);
}

static void compare(const char *name, const struct cs_evidence *evidence) {
  compare_with(name, evidence, (struct cs_text_options){0});
}

static void one_past_the_end(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  compare("one-past-the-end", &evidence);
  evidence.count = 4096;
  compare_with("one-past-the-end-color", &evidence, (struct cs_text_options){.color = 1});
}

static void one_before_the_start(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_GATHER, -4, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  evidence.count = 32;
  compare("one-before-the-start", &evidence);
}

static void across_the_end(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_ATOMIC, 399, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  compare("across-the-end", &evidence);
}

static void far_into_another_buffer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 512 + 128, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  evidence.touched = &fixture_other;
  compare("far-into-another-buffer", &evidence);
}

static void use_after_free(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_GATHER, 8, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own_freed);
  record.word = 0;
  compare_with("use-after-free", &evidence, (struct cs_text_options){.strip_path_prefix = "/src/very/deep/"});
}

static void wild_pointer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 512 * 100000, 4);
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  record.root = cs_mark(record.address, fixture_own.start);
  record.word = 0;
  compare("wild-pointer-lost", &evidence);
  record.root = record.address - 16;
  evidence.touched = &fixture_other;
  record.address = fixture_other.start + 4;
  compare("wild-pointer", &evidence);
}

static void no_debug_information(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_BARE, 400, 16);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  compare("no-debug-information", &evidence);
}

static void corrupt_table(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  fixture_table()->frame_offset = 0xffff0000u;
  compare("corrupt-table", &evidence);
}

static struct cs_evidence bad_free(const struct cs_buffer *own, cs_u64 pointer) {
  return (struct cs_evidence){.event = CS_EVENT_FREE,
                              .count = 1,
                              .free_call = "cuMemFree_v2",
                              .freed_pointer = pointer,
                              .here = fixture_free_stack,
                              .own = own};
}

static void double_free(void **state) {
  (void)state;
  struct cs_evidence evidence = bad_free(&fixture_own_freed, fixture_own_freed.start);
  compare("double-free", &evidence);
}

static void invalid_frees(void **state) {
  (void)state;
  struct cs_evidence middle = bad_free(&fixture_own, fixture_own.start + 8);
  compare("invalid-free-middle", &middle);
  struct cs_evidence never = bad_free(NULL, 0x7ffc12345678);
  compare("invalid-free-never-allocated", &never);
  struct cs_evidence other = bad_free(&fixture_own, fixture_own.start);
  compare("invalid-free-wrong-call", &other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_past_the_end),     cmocka_unit_test(one_before_the_start),
      cmocka_unit_test(across_the_end),       cmocka_unit_test(far_into_another_buffer),
      cmocka_unit_test(use_after_free),       cmocka_unit_test(wild_pointer),
      cmocka_unit_test(no_debug_information), cmocka_unit_test(corrupt_table),
      cmocka_unit_test(double_free),          cmocka_unit_test(invalid_frees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
