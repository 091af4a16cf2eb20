/* text_test.c: every kind of report on buffers against its golden file. */
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include "report/tests/golden.h"

static void one_past_the_end(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  golden_compare("one-past-the-end", &evidence);
  evidence.count = 4096;
  golden_compare_with("one-past-the-end-color", &evidence, (struct cs_text_options){.color = 1});
}

static void one_before_the_start(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_GATHER, -4, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  evidence.count = 32;
  golden_compare("one-before-the-start", &evidence);
}

static void across_the_end(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_ATOMIC, 399, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  golden_compare("across-the-end", &evidence);
}

static void far_into_another_buffer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 512 + 128, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  evidence.touched = &fixture_other;
  golden_compare("far-into-another-buffer", &evidence);
}

static void use_after_free(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_GATHER, 8, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own_freed);
  record.word = 0;
  golden_compare_with("use-after-free", &evidence, (struct cs_text_options){.strip_path_prefix = "/src/very/deep/"});
}

/* A kernel's heap forgets how large a buffer was. */
static void freed_in_a_kernel(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_GATHER, 12, 4);
  struct cs_buffer own = {.start = fixture_own.start, .freed = 1, .allocator = "malloc in a kernel"};
  record.word = 0;
  struct cs_evidence evidence = fixture_evidence(&record, &own);
  golden_compare("use-after-free-in-a-kernel", &evidence);
}

static void wild_pointer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 512 * 100000, 4);
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  record.root = cs_mark(record.address, fixture_own.start);
  record.word = 0;
  golden_compare("wild-pointer-lost", &evidence);
  record.root = record.address - 16;
  evidence.touched = &fixture_other;
  record.address = fixture_other.start + 4;
  golden_compare("wild-pointer", &evidence);
}

/* Host code has made the pointer before its buffer. */
static void stray_pointer(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  record.root = fixture_own.start - 4;
  record.word = record.start = record.bytes = 0;
  evidence.access.near_root = evidence.access.near_address = &fixture_own;
  golden_compare("stray-pointer", &evidence);
  record.address = record.root;
  golden_compare("stray-pointer-itself", &evidence);
}

/* Several kernels call the function. */
static void one_of_several_kernels(void **state) {
  (void)state;
  static const char *const kernels[] = {"_Z6gatherPKfPf", "_Z5scalePfi"};
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  struct cs_module *table = fixture_table();
  struct cs_site *sites = (struct cs_site *)((char *)table + table->site_offset);
  sites[SITE_STORE].kernel = 0;
  evidence.access.kernels = kernels;
  evidence.access.kernel_count = 2;
  golden_compare("one-of-two-kernels", &evidence);
  evidence.access.kernels_more = 3;
  golden_compare("one-of-many-kernels", &evidence);
}

static void belongs_to_an_earlier_report(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 404, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  golden_compare_with("also", &evidence, (struct cs_text_options){.same_as = "scale.cu:2:8"});
  evidence.count = 12;
  golden_compare_with("also-often", &evidence, (struct cs_text_options){.same_as = "scale.cu:2:8"});
}

static void null_of_an_invalid_read(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 0, 4);
  struct cs_evidence evidence = fixture_evidence(&record, NULL);
  record.root = record.word = record.address = 0;
  golden_compare_with("null-of-an-invalid-read", &evidence, (struct cs_text_options){.zero_from = "scale.cu:2:8"});
}

static void launched_often(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  struct cs_launch_place place = {.stack = fixture_free_stack, .count = 3};
  struct cs_report_launch launch = {.stack = fixture_free_stack, .count = 3, .places = &place, .place_count = 1};
  evidence.launch = &launch;
  golden_compare("launched-often", &evidence);
  launch.is_earlier = 1;
  place.count = launch.count = 1;
  golden_compare("launched-earlier", &evidence);
  launch.is_earlier = 0;
  place.count = launch.count = 3;
  place.is_graph = 1;
  place.node = fixture_own.allocated_by;
  golden_compare("launched-in-a-graph", &evidence);
}

static void no_debug_information(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_BARE, 400, 16);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  golden_compare("no-debug-information", &evidence);
}

static void corrupt_table(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  fixture_table()->frame_offset = 0xffff0000u;
  golden_compare("corrupt-table", &evidence);
}

static struct cs_evidence bad_free(const struct cs_buffer *own, cs_u64 pointer) {
  return (struct cs_evidence){.event = CS_EVENT_FREE,
                              .count = 1,
                              .call = "cuMemFree_v2",
                              .free.pointer = pointer,
                              .here = fixture_free_stack,
                              .own = own};
}

/* An interpreter's frames, with one of the user's among them. */
static void deep_stack(void **state) {
  (void)state;
  struct cs_source frames[40];
  for (int i = 0; i < 40; i++)
    frames[i] = (struct cs_source){.function = "eval", .module = "/usr/bin/interpreter", .pc = 0x1000 + (cs_u64)i};
  frames[20] = (struct cs_source){.function = "users_own", .file = "/src/own.c", .line = 7, .pc = 0x2000};
  struct cs_evidence evidence = bad_free(NULL, 0x7ffc12345678);
  evidence.here = (struct cs_stack){frames, 40};
  golden_compare("deep-stack", &evidence);
}

/* A program without line information, as nvcc builds it: the callers of main are not shown. */
static void stack_without_lines(void **state) {
  (void)state;
  struct cs_source frames[] = {{.function = "release", .module = "/src/program", .pc = 0x1000},
                               {.function = "main", .module = "/src/program", .pc = 0x1100},
                               {.module = "/lib/libc.so.6", .pc = 0x2000},
                               {.function = "__libc_start_main", .module = "/lib/libc.so.6", .pc = 0x2100},
                               {.function = "_start", .module = "/src/program", .pc = 0x1200}};
  struct cs_evidence evidence = bad_free(NULL, 0x7ffc12345678);
  evidence.here = (struct cs_stack){frames, sizeof frames / sizeof *frames};
  golden_compare("stack-without-lines", &evidence);
}

static void double_free(void **state) {
  (void)state;
  struct cs_evidence evidence = bad_free(&fixture_own_freed, fixture_own_freed.start);
  golden_compare("double-free", &evidence);
}

static void invalid_frees(void **state) {
  (void)state;
  struct cs_evidence middle = bad_free(&fixture_own, fixture_own.start + 8);
  golden_compare("invalid-free-middle", &middle);
  struct cs_evidence never = bad_free(NULL, 0x7ffc12345678);
  golden_compare("invalid-free-never-allocated", &never);
  struct cs_evidence other = bad_free(&fixture_own, fixture_own.start);
  golden_compare("invalid-free-wrong-call", &other);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_past_the_end),
      cmocka_unit_test(one_before_the_start),
      cmocka_unit_test(across_the_end),
      cmocka_unit_test(far_into_another_buffer),
      cmocka_unit_test(use_after_free),
      cmocka_unit_test(freed_in_a_kernel),
      cmocka_unit_test(deep_stack),
      cmocka_unit_test(stack_without_lines),
      cmocka_unit_test(wild_pointer),
      cmocka_unit_test(stray_pointer),
      cmocka_unit_test(one_of_several_kernels),
      cmocka_unit_test(launched_often),
      cmocka_unit_test(belongs_to_an_earlier_report),
      cmocka_unit_test(null_of_an_invalid_read),
      cmocka_unit_test(no_debug_information),
      cmocka_unit_test(corrupt_table),
      cmocka_unit_test(double_free),
      cmocka_unit_test(invalid_frees),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
