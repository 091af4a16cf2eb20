/* long_names_test.c: names and paths that are longer than a line of the text report. */
#include "report/heat.h"
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

_Static_assert(sizeof KERNEL > 300, "as templates make them");

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
static const struct cs_launch launch = {.stack = {frames, sizeof frames / sizeof *frames}};

/* A report of this kind, where everything that has a name has a long one. */
static char *render(enum cs_kind kind, enum cs_event event) {
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
  finding.object = finding.object ? KERNEL "::partial" : NULL;
  finding.launch = &launch;
  cs_render_text(&finding, &(struct cs_text_options){.pid = 2147483647}, out);
  cs_finding_release(&finding);
  fclose(out);
  return text;
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

/* What a kernel's name is shown as where there are few columns. */
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
      {9, "\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4\xc3\xb6\xc3\xbc", "\xc3\xa4...\xc3\xbc"},
      {2, "name", ".."},
      {0, "name", ""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char to[64];
    const char *shown = cs_short_name(cases[i].name, cases[i].columns, to);
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
    const char *shown = cs_short_path(cases[i].path, cases[i].columns, to);
    assert_string_equal(shown, cases[i].shown);
    assert_in_range(strlen(shown), 0, cases[i].columns);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_report_fits),
      cmocka_unit_test(long_names),
      cmocka_unit_test(names),
      cmocka_unit_test(paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
