/* fingerprint_test.c: what a fingerprint depends on, and what it ignores. */
#include "report/fingerprint.h"
#include "report/numbers.h"
#include "report/plain.h"
#include "report/tests/cases.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include <stdlib.h>
#include <string.h>

/* The hash, and what distinguishes two stacks with the same one. */
static struct cs_report_fingerprint print_of(const struct cs_evidence *evidence) {
  struct cs_finding f;
  assert_int_equal(cs_diagnose(evidence, &f), 0);
  assert_int_equal(strlen(f.fingerprint), 16);
  struct cs_report_fingerprint print = {strtoull(f.fingerprint, NULL, 16), 0};
  print.lines = cs_report_fingerprint_of_stack(&f.where).lines;
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

static cs_u32 number_in(struct cs_module *module, cs_u32 site) {
  struct cs_report_numbers *numbers = cs_report_numbers_new(module, module->total_bytes);
  assert_non_null(numbers);
  cs_u32 number = cs_report_number(numbers, site);
  assert_int_equal(cs_report_number(numbers, site), number);
  assert_int_equal(cs_report_number(numbers, module->site_count), 0);
  cs_report_numbers_delete(numbers);
  return number;
}

/* Sites that differ by their lines only, in the order of the table; copies of one site are one. */
static void sites_are_numbered_by_the_table(void **state) {
  (void)state;
  struct cs_module *module = fixture_table();
  struct cs_site *sites = (struct cs_site *)((char *)module + module->site_offset);
  struct cs_frame *frames = (struct cs_frame *)((char *)module + module->frame_offset);
  sites[SITE_ATOMIC].access = sites[SITE_GATHER].access;
  frames[3].column = frames[2].column;
  assert_int_equal(number_in(module, SITE_GATHER), 1);
  assert_int_equal(number_in(module, SITE_ATOMIC), 2);
  frames[3].line = frames[2].line;
  assert_int_equal(number_in(module, SITE_ATOMIC), 1);
  frames[3].column++;
  frames[3].line++;
  assert_int_equal(number_in(module, SITE_ATOMIC), 1);
}

/* Without lines, every site is one. */
static void sites_without_lines_are_numbered(void **state) {
  (void)state;
  struct cs_module *module = fixture_table();
  struct cs_site *sites = (struct cs_site *)((char *)module + module->site_offset);
  sites[SITE_ODD] = sites[SITE_BARE];
  assert_int_equal(number_in(module, SITE_BARE), 1);
  assert_int_equal(number_in(module, SITE_ODD), 2);
  module->magic++;
  assert_null(cs_report_numbers_new(module, module->total_bytes));
}

/* ---- a large table ---- */

enum { FUNCTIONS = 2000, COLUMNS = 10, LINES = 5, SITES = FUNCTIONS * COLUMNS * LINES };

static struct cs_module *large_table(void) {
  size_t strings = 32 + (size_t)FUNCTIONS * 32;
  size_t bytes = sizeof(struct cs_module) + SITES * (sizeof(struct cs_site) + sizeof(struct cs_frame)) + strings;
  struct cs_module *module = calloc(1, bytes);
  assert_non_null(module);
  *module = (struct cs_module){.magic = CS_ABI_MAGIC,
                               .abi_version = CS_ABI_VERSION,
                               .total_bytes = (cs_u32)bytes,
                               .site_count = SITES,
                               .site_offset = sizeof *module,
                               .frame_count = SITES,
                               .frame_offset = sizeof *module + SITES * sizeof(struct cs_site),
                               .string_bytes = (cs_u32)strings,
                               .string_offset = (cs_u32)(bytes - strings)};
  struct cs_site *sites = (struct cs_site *)((char *)module + module->site_offset);
  struct cs_frame *frames = (struct cs_frame *)((char *)module + module->frame_offset);
  char *pool = (char *)module + module->string_offset;
  strcpy(pool + 1, "a.cu");
  for (cs_u32 i = 0; i < FUNCTIONS; i++)
    snprintf(pool + 32 + (size_t)i * 32, 32, "_Z7f%06uPi", i);
  for (cs_u32 i = 0; i < SITES; i++) {
    cs_u32 function = i / (COLUMNS * LINES);
    frames[i] = (struct cs_frame){1, 32 + function * 32, i + 1, i % COLUMNS, CS_NONE, 0};
    sites[i] = (struct cs_site){.frame = i, .access = CS_ACCESS_WRITE, .size = 4};
  }
  return module;
}

static int compare_text(const void *a, const void *b) {
  return strcmp(a, b);
}

/* Of 100,000 sites, no two have the same fingerprint, although the hashes of five each are equal. */
static void all_sites_differ(void **state) {
  (void)state;
  struct cs_module *module = large_table();
  struct cs_report_numbers *numbers = cs_report_numbers_new(module, module->total_bytes);
  char (*all)[CS_FINGERPRINT_MAX] = calloc(SITES, sizeof *all);
  for (cs_u32 i = 0; i < SITES; i++) {
    struct cs_record record = fixture_record(i, 400, 4);
    struct cs_evidence evidence = fixture_evidence(&record, &fixture_own);
    evidence.access.at.module = module;
    evidence.access.at.module_bytes = module->total_bytes;
    struct cs_finding f;
    assert_int_equal(cs_diagnose(&evidence, &f), 0);
    cs_report_identify(&f, cs_report_number(numbers, i));
    strcpy(all[i], f.fingerprint);
    assert_int_equal(strlen(all[i]), i / COLUMNS % LINES ? 18 : 16);
    cs_finding_release(&f);
  }
  qsort(all, SITES, sizeof *all, compare_text);
  for (cs_u32 i = 1; i < SITES; i++)
    assert_string_not_equal(all[i - 1], all[i]);
  free(all);
  cs_report_numbers_delete(numbers);
  free(module);
}

/* ---- groups ---- */

static void functions_are_plain(void **state) {
  (void)state;
  static const struct {
    const char *name, *plain;
  } cases[] = {
      {"kernel(int*)", "kernel"},
      {"void ns::fill<float, 4>(float*, int)", "ns::fill"},
      {"unsigned int pool<int (*)(char)>::take(unsigned int) const", "pool::take"},
      {"vec<float>::operator[](int) const &", "vec::operator[]"},
      {"functor<int>::operator()(int) const", "functor::operator()"},
      {"bool operator< <int>(a<int> const&, a<int> const&)", "operator<"},
      {"std::ostream& operator<<(std::ostream&, int)", "operator<<"},
      {"a::operator->()", "a::operator->"},
      {"operator new[](unsigned long)", "operator new[]"},
      {"box<int>::operator std::vector<int>() const", "box::operator std::vector"},
      {"(anonymous namespace)::hidden(int*)", "(anonymous namespace)::hidden"},
      {"void (anonymous namespace)::hidden<3>(int*)", "(anonymous namespace)::hidden"},
      {"run(int)::{lambda(int)#1}::operator()(int) const", "run::{lambda#1}::operator()"},
      {"a::run(int) const::{lambda()#2}::operator()() const", "a::run::{lambda#2}::operator()"},
      {"decltype(auto) pick<int>(int)", "pick"},
      {"decltype ((x).y(z)) pick<int>(int)", "pick"},
      {"fill(int) [clone .cold]", "fill"},
      {"operators::run()", "operators::run"},
      {"main", "main"},
      {"<module>", "<module>"},
      {"a<b", "a"},
      {"", ""},
  };
  char text[64];
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    assert_string_equal(cs_report_plain_function(cases[i].name, text, sizeof text), cases[i].plain);
  assert_string_equal(cs_report_plain_function("kernel(int*)", text, 4), "ker");
}

static struct cs_finding grouped(const char *function, const char *file, cs_u32 column) {
  static struct cs_source frame;
  frame = (struct cs_source){.function = function, .file = file, .line = 9, .column = column};
  struct cs_finding f = {.kind = CS_KIND_OUT_OF_BOUNDS, .event = CS_EVENT_ACCESS, .where = {&frame, 1}};
  cs_report_identify(&f, 2);
  return f;
}

static void groups_are_coarse(void **state) {
  (void)state;
  struct cs_finding one = grouped("void fill<int>(int*)", "/a/x.cu", 3),
                    same = grouped("void fill<float>(float*)", "/b/x.cu", 8);
  assert_string_equal(one.group, same.group);
  assert_int_equal(strlen(one.group), 16);
  assert_string_not_equal(one.fingerprint, same.fingerprint);
  assert_string_not_equal(one.group, grouped("drop(int*)", "/a/x.cu", 3).group);
  assert_string_not_equal(one.group, grouped("void fill<int>(int*)", "/a/y.cu", 3).group);
}

/* Calls that were merged have no line, and functions that were inlined no namespace. */
static void groups_of_optimised_calls(void **state) {
  (void)state;
  struct cs_source frames[] = {{.function = "cudaFree", .module = "libcudart.so", .pc = 1},
                               {.function = "pool::drop(int*)", .file = "/a/x.cu", .pc = 2, .line = 4, .column = 3},
                               {.function = "main", .file = "/a/x.cu", .pc = 3, .line = 8, .column = 3}};
  struct cs_finding plain = {.kind = CS_KIND_INVALID_FREE, .event = CS_EVENT_FREE, .where = {frames, 3}}, optimised;
  cs_report_identify(&plain, 1);
  frames[1] = (struct cs_source){.function = "drop", .file = "/a/x.cu", .pc = 3};
  optimised = plain;
  cs_report_identify(&optimised, 1);
  assert_string_equal(plain.group, optimised.group);
  frames[1].function = "box::operator std::pair<int, int>()";
  cs_report_identify(&optimised, 1);
  frames[1].function = "operator std::pair";
  cs_report_identify(&plain, 1);
  assert_string_equal(plain.group, optimised.group);
}

/* The innermost line of Python counts from the start of its function; edits elsewhere change nothing. */
static void python_lines_count_from_their_function(void **state) {
  (void)state;
  struct cs_source frames[] = {{.function = "step", .file = "a.py", .line = 12, .offset = 2, .is_python = 1},
                               {.function = "<module>", .file = "a.py", .line = 40, .offset = 39, .is_python = 1}};
  const struct cs_stack stack = {frames, 2};
  struct cs_report_fingerprint before = cs_report_fingerprint_of_stack(&stack);
  frames[0].line += 5;
  frames[1].line += 5;
  frames[1].offset += 5;
  struct cs_report_fingerprint after = cs_report_fingerprint_of_stack(&stack);
  assert_int_equal(before.bug, after.bug);
  frames[0].offset++;
  assert_int_not_equal(before.bug, cs_report_fingerprint_of_stack(&stack).bug);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(they_do_not_change),
      cmocka_unit_test(kinds_differ),
      cmocka_unit_test(runs_do_not_matter),
      cmocka_unit_test(lines_and_folders_do_not_matter),
      cmocka_unit_test(without_lines_names_decide),
      cmocka_unit_test(sites_are_numbered_by_the_table),
      cmocka_unit_test(sites_without_lines_are_numbered),
      cmocka_unit_test(all_sites_differ),
      cmocka_unit_test(functions_are_plain),
      cmocka_unit_test(groups_are_coarse),
      cmocka_unit_test(groups_of_optimised_calls),
      cmocka_unit_test(python_lines_count_from_their_function),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
