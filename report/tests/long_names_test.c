/* long_names_test.c: names, paths and lines of source that are longer than a line of the text report. */
#include "report/excerpt.h"
#include "report/formats.h"
#include "report/shorten.h"
#include "report/tests/cases.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include "report/tests/golden.h"
#include "report/words.h"
#include <stdlib.h>
#include <string.h>

#define TUPLE "linear::tuple<linear::constant<128>, linear::constant<64>, linear::constant<32> >"
#define TILED "linear::tiled_copy<" TUPLE ", linear::layout<" TUPLE ", " TUPLE " > >"
#define KERNEL "void linear::device::multiply<float, " TILED ">(float const*, float const*, float*, int, int, int)"
#define FOLDER "/builds/team/project-with-a-long-name/0123456789abcdef0123456789abcdef/execroot/workspace/sources/"

_Static_assert(sizeof KERNEL > 300, "as long as a template instance's name");

static const struct cs_source frames[] = {
    {.function = "linear::pool<" TUPLE ">::take(unsigned long)",
     .file = FOLDER "linear/memory/pool.hpp",
     .line = 4041,
     .column = 17,
     .pc = 0x55d0c0de1300},
    {.function = "linear::session_with_a_name_that_has_no_brackets_at_all_and_does_not_fit_a_line_of_the_report_either",
     .file = "run.cpp",
     .line = 7,
     .pc = 0x55d0c0de1310},
    {.function = KERNEL, .pc = 0x55d0c0de1320, .module = FOLDER "lib/liblinear.so"},
    {.pc = 0x55d0c0de1330, .module = FOLDER "lib/liblinear.so", .offset = 0x1330},
};
static const struct cs_stack stack = {frames, sizeof frames / sizeof *frames};
static const struct cs_report_launch launch = {.stack = {frames, sizeof frames / sizeof *frames}};

typedef void renderer(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

/* A report of this kind in which every name is long. */
static char *render_as(renderer *render, enum cs_kind kind, enum cs_event event) {
  struct cs_finding finding;
  struct cs_buffer own = fixture_own_freed;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  assert_int_equal(cs_diagnose(case_of_kind(kind), &finding), 0);
  finding.event = event == CS_EVENT_FAULT ? event : finding.event;
  finding.where = own.allocated_by = own.freed_by = stack;
  finding.kernel = KERNEL;
  finding.own = finding.own ? &own : NULL;
  if (finding.object && kind != CS_KIND_UNINITIALISED_USE) /* the use has CuSafe's own words */
    finding.object = KERNEL "::partial";
  finding.launch = &launch;
  render(&finding, &(struct cs_text_options){.pid = 2147483647}, out);
  cs_finding_release(&finding);
  fclose(out);
  return text;
}

static char *render(enum cs_kind kind, enum cs_event event) {
  return render_as(cs_format_text.finding, kind, event);
}

static void every_report_fits(void **state) {
  (void)state;
  for (int kind = 0; kind < CS_KIND_COUNT; kind++)
    for (int fault = 0; fault < 2; fault++) {
      char *text = render((enum cs_kind)kind, fault ? CS_EVENT_FAULT : CS_EVENT_ACCESS);
      golden_fits(text);
      assert_non_null(strstr(strstr(text, "SUMMARY"), "/pool.hpp:4041:17 in linear::pool<"));
      assert_non_null(strstr(text, "/liblinear.so+0x1330)\n"));
      free(text);
    }
}

static void long_names(void **state) {
  (void)state;
  char *text = render(CS_KIND_OUT_OF_BOUNDS, CS_EVENT_ACCESS);
  golden_compare_text("long-names.txt", text);
  free(text);
  text = render(CS_KIND_MISALIGNED, CS_EVENT_ACCESS);
  golden_compare_text("long-names-variable.txt", text);
  free(text);
}

/* The page shows long names shortened, and unfolds them. */
static void unfolds(void **state) {
  (void)state;
  char *text = render_as(cs_format_html.finding, CS_KIND_OUT_OF_BOUNDS, CS_EVENT_ACCESS);
  assert_non_null(strstr(text, "<td>kernel</td><td><details><summary><code>void linear::device::multiply&lt;"));
  assert_non_null(
      strstr(text, "</code></summary><code>void linear::device::multiply&lt;float, linear::tiled_copy&lt;"));
  assert_non_null(strstr(text, "<code>.../linear/memory/pool.hpp:4041:17</code>")); /* in the index */
  assert_non_null(strstr(text, FOLDER "linear/memory/pool.hpp:4041:17</span>"));
  free(text);
}

/* This format has long names in full, and frames without a name as compute-sanitizer prints them. */
static void memcheck(void **state) {
  (void)state;
  char *text = render_as(cs_format_memcheck.finding, CS_KIND_OUT_OF_BOUNDS, CS_EVENT_ACCESS);
  assert_non_null(strstr(text, "    Host Frame: " KERNEL " [0x55d0c0de1320] in " FOLDER "lib/liblinear.so\n"));
  assert_non_null(strstr(text, "    Host Frame: [0x55d0c0de1330] in " FOLDER "lib/liblinear.so\n"));
  free(text);
}

/* A long line shows the part with the caret, and dots where it was truncated. */
static void excerpts(void **state) {
  (void)state;
  static const cs_u32 columns[] = {2, 70, 85, 100, 118, 0};
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
    const struct cs_source source = {.file = "scale.cu", .line = 14, .column = columns[i]};
    assert_int_equal(cs_report_print_excerpt(&source, CUSAFE_TEST_SOURCES, NULL, out), 0);
  }
  fclose(out);
  golden_fits(text);
  golden_compare_text("long-line.txt", text);
  free(text);
}

static void articles(void **state) {
  (void)state;
  static const struct {
    cs_u64 size;
    const char *text;
  } cases[] = {{8, "an 8-byte buffer"},         {80, "an 80-byte buffer"},       {800, "an 800-byte buffer"},
               {8000, "an 8000-byte buffer"},   {11, "an 11-byte buffer"},       {110, "a 110-byte buffer"},
               {11000, "an 11000-byte buffer"}, {18000, "an 18000-byte buffer"}, {1800, "a 1800-byte buffer"},
               {400, "a 400-byte buffer"},      {1, "a 1-byte buffer"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char to[64];
    const struct cs_buffer buffer = {.size = cases[i].size};
    assert_string_equal(cs_report_buffer_text(&buffer, to, sizeof to), cases[i].text);
  }
}

/* Names shortened to a few columns. */
static void names(void **state) {
  (void)state;
  static const struct {
    size_t columns;
    const char *name, *shown;
  } cases[] = {
      {12, "f(int, float)", "f(int...oat)"},
      {13, "f(int, float)", "f(int, float)"},
      {20, "void f<A, B, C>(int*, int*)", "void f<A, B, C>(...)"},
      {17, "void f<A, B, C>(int*, int*)", "void f<A...>(...)"},
      {26, "box<int, float>::put(X const&)", "box<in...t>::put(X const&)"},
      {18, "operator<(tuple const&, tuple const&)", "operator...const&)"},
      {24, "a<&b::operator->, ccccc>::d(int)", "a<&b::o...ccccc>::d(int)"},
      {10, "no_brackets_at_all", "no_b...all"},
      {34, "void numbers::detail::reduce<double>(int)", "...detail::reduce<...>(int)"},
      {20, "void numbers::detail::reduce<double>(int)", "...reduce<...>(int)"},
      {18, "void numbers::detail::reduce<double>(int)", "void num....>(int)"},
      {22, "std::box<int, float>::put(X const&) const", "...put(...) const"},
      {9, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", "\xc3\xa4...\xc3\xbc"},
      {2, "name", ".."},
      {0, "name", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char to[64];
    const char *shown = cs_report_short_name(cases[i].name, cases[i].columns, to);
    assert_string_equal(shown, cases[i].shown);
    assert_in_range(strlen(shown), 0, cases[i].columns);
  }
}

static void paths(void **state) {
  (void)state;
  static const struct {
    size_t columns;
    const char *path, *shown;
  } cases[] = {
      {20, "/a/b/file.cu", "/a/b/file.cu"},      {11, "/a/b/file.cu", ".../file.cu"},
      {10, "/folder/file.cu", "file.cu"},        {6, "/folder/file.cu", "fi...u"},
      {14, "/folders/sub/x.cu", ".../sub/x.cu"}, {3, "x.cuh", "..."},
      {9, "a_long_file_name.cu", "a_l....cu"},   {1, "/a/b", "b"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char to[64];
    const char *shown = cs_report_short_path(cases[i].path, cases[i].columns, to);
    assert_string_equal(shown, cases[i].shown);
    assert_in_range(strlen(shown), 0, cases[i].columns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_report_fits),
      cmocka_unit_test(long_names),
      cmocka_unit_test(unfolds),
      cmocka_unit_test(memcheck),
      cmocka_unit_test(excerpts),
      cmocka_unit_test(articles),
      cmocka_unit_test(names),
      cmocka_unit_test(paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
