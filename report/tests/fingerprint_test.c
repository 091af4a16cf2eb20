/* fingerprint_test.c: what a fingerprint depends on, and what it ignores. */
#include "report/fingerprint.h"
#include "report/tests/cases.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include <string.h>

static struct cs_report_fingerprint print_of(const struct cs_evidence *evidence) {
  struct cs_finding f;
  assert_int_equal(cs_diagnose(evidence, &f), 0);
  struct cs_report_fingerprint print = cs_report_fingerprint(&f);
  char text[CS_FINGERPRINT_MAX];
  snprintf(text, sizeof text, "%016llx", print.bug);
  assert_string_equal(text, f.fingerprint);
  cs_finding_release(&f);
  return print;
}

/* Two fingerprints in full: a change here invalidates every user's baseline file. */
static void they_do_not_change(void **state) {
  (void)state;
  assert_int_equal(print_of(case_of_kind(CS_KIND_OUT_OF_BOUNDS)).bug, 0xc3187adabb63ec32);
  assert_int_equal(print_of(case_of_kind(CS_KIND_LEAK)).bug, 0xbc4d87bc9f81a740);
}

static void kinds_differ(void **state) {
  (void)state;
  cs_u64 all[CS_KIND_COUNT];
  for (int kind = 0; kind < CS_KIND_COUNT; kind++) {
    all[kind] = print_of(case_of_kind((enum cs_kind)kind)).bug;
    for (int i = 0; i < kind; i++)
      assert_int_not_equal(all[i], all[kind]);
  }
}

/* Another run: other addresses, another thread was first, another buffer, another count. */
static void runs_do_not_matter(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_STORE, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  struct cs_report_fingerprint before = print_of(&evidence);
  struct cs_buffer moved = fixture_own;
  moved.start += 1 << 20;
  record.address += (1 << 20) + 64;
  record.root += 1 << 20;
  record.thread[0]++;
  evidence.own = &moved;
  evidence.count = 77;
  evidence.kernel = "_Z5otherv";
  struct cs_report_fingerprint after = print_of(&evidence);
  assert_int_equal(before.bug, after.bug);
  assert_int_equal(before.lines, after.lines);
}

static struct cs_report_fingerprint at(const char *function, const char *file, cs_u32 line, cs_u32 column) {
  struct cs_source frames[] = {
      {.function = "cudaFree", .module = "/lib/libcudart.so.13", .pc = 0x7f0000031000},
      {.function = function, .file = file, .pc = 0x55d0c0de1400, .line = line, .column = column},
      {.function = "main", .file = "/home/me/main.cpp", .pc = 0x55d0c0de1500, .line = 100, .column = 3},
      {.function = "__libc_start_main", .file = "/build/glibc/start.c", .pc = 0x7f0000027305, .line = line},
  };
  struct cs_evidence evidence = *case_of_kind(CS_KIND_DOUBLE_FREE);
  evidence.here = (struct cs_stack){frames, 4};
  return print_of(&evidence);
}

static void lines_and_folders_do_not_matter(void **state) {
  (void)state;
  struct cs_report_fingerprint one = at("drop", "/a/pool.cpp", 10, 5);
  assert_int_equal(one.bug, at("drop", "/b/c/pool.cpp", 10, 5).bug);
  assert_int_equal(one.bug, at("drop", "/a/pool.cpp", 12, 5).bug);
  assert_int_not_equal(one.lines, at("drop", "/a/pool.cpp", 12, 5).lines);
  assert_int_not_equal(one.bug, at("drop", "/a/pool.cpp", 10, 6).bug);
  assert_int_not_equal(one.bug, at("drop", "/a/pond.cpp", 10, 5).bug);
  assert_int_not_equal(one.bug, at("free", "/a/pool.cpp", 10, 5).bug);
}

static void without_lines_names_decide(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_BARE, 400, 16);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  cs_u64 one = print_of(&evidence).bug;
  evidence.kernel = "_Z5otherv";
  assert_int_not_equal(one, print_of(&evidence).bug);
}

/* Sites that differ by their lines only, in the order of the table; copies of one site are one. */
static void sites_are_numbered_by_the_table(void **state) {
  (void)state;
  struct cs_record record = fixture_record(SITE_GATHER, 400, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
  struct cs_module *module = (struct cs_module *)evidence.access.at.module;
  struct cs_site *sites = (struct cs_site *)((char *)module + module->site_offset);
  struct cs_frame *frames = (struct cs_frame *)((char *)module + module->frame_offset);
  sites[SITE_ATOMIC].access = sites[SITE_GATHER].access;
  frames[3].column = frames[2].column;
  assert_int_equal(cs_report_ordinal(&evidence), 1);
  record.site = SITE_ATOMIC;
  assert_int_equal(cs_report_ordinal(&evidence), 2);
  frames[3].line = frames[2].line;
  assert_int_equal(cs_report_ordinal(&evidence), 1);
  frames[3].column++;
  frames[3].line++;
  assert_int_equal(cs_report_ordinal(&evidence), 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_do_not_change),         cmocka_unit_test(kinds_differ),
      cmocka_unit_test(runs_do_not_matter),         cmocka_unit_test(lines_and_folders_do_not_matter),
      cmocka_unit_test(without_lines_names_decide), cmocka_unit_test(sites_are_numbered_by_the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
