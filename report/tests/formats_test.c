/* formats_test.c: a finding of every kind in every format, and the escaping of malformed text. */
#include "report/formats.h"
#include "report/json.h"
#include "report/origin.h"
#include "report/tests/cases.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include "report/tests/golden.h"
#include "report/words.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef void renderer(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

static const struct cs_report_origin origin = {1790000000123, "node7", "0123456789abcdef"};
static const struct cs_text_options plain = {
    .strip_path_prefix = CUSAFE_TEST_SOURCES "/", .pid = 4242, .origin = &origin};

static char *render_kind(enum cs_kind kind, renderer *render) {
  struct cs_finding finding;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(cs_diagnose(case_of_kind(kind), &finding), 0);
  assert_int_equal(finding.kind, kind);
  render(&finding, &plain, out);
  cs_finding_release(&finding);
  fclose(out);
  return text;
}

static void compare_all(const char *name, renderer *render) {
  char *all = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&all, &bytes);
  for (int kind = 0; kind < CS_KIND_COUNT; kind++) {
    char *text = render_kind((enum cs_kind)kind, render);
    fputs(text, out);
    free(text);
  }
  fclose(out);
  golden_compare_text(name, all);
  free(all);
}

static void json(void **state) {
  (void)state;
  compare_all("every-kind.jsonl", cs_format_json.finding);
}

static char *render_short(struct cs_finding *finding, size_t max) {
  struct cs_text_options options = plain;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  options.line_max = max;
  cs_format_json.finding(finding, &options, out);
  cs_finding_release(finding);
  fclose(out);
  return text;
}

/* A line for a socket: what is too long is omitted in the order of the details. */
static void short_lines(void **state) {
  (void)state;
  char *all = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&all, &bytes);
  for (int kind = 0; kind < CS_KIND_COUNT; kind++)
    for (size_t max = 3000; max >= 1000; max -= 1000) {
      struct cs_finding finding;
      assert_int_equal(cs_diagnose(case_of_kind((enum cs_kind)kind), &finding), 0);
      size_t room = max + (finding.directory ? strlen(finding.directory) : 0); /* the same lines in every folder */
      char *text = render_short(&finding, room);
      assert_true(strlen(text) <= room);
      if (strstr(text, "\"omitted\":"))
        fputs(text, out);
      free(text);
    }
  fclose(out);
  golden_compare_text("short-lines.jsonl", all);
  free(all);
}

/* Whatever the names are, the line fits into a datagram (host/findings/sink.h). */
static void lines_of_long_names_are_short(void **state) {
  (void)state;
  static char name[4000];
  memset(name, 1, sizeof name - 1); /* six bytes of JSON each */
  for (int kind = 0; kind < CS_KIND_COUNT; kind++) {
    struct cs_finding finding;
    assert_int_equal(cs_diagnose(case_of_kind((enum cs_kind)kind), &finding), 0);
    finding.kernel = finding.object = finding.directory = finding.call = finding.api_call = name;
    finding.where.frames = &(const struct cs_source){.function = name, .file = name, .module = name, .pc = 1};
    finding.where.count = 1;
    char *text = render_short(&finding, 8096);
    assert_in_range(strlen(text), 1000, 8096);
    assert_string_equal(text + strlen(text) - 2, "}\n");
    free(text);
  }
}

static void oneline(void **state) {
  (void)state;
  compare_all("every-kind.oneline", cs_format_oneline.finding);
}

static void memcheck(void **state) {
  (void)state;
  compare_all("every-kind.memcheck", cs_format_memcheck.finding);
}

/* A whole run: head, finding, leaks, total. */
static void memcheck_run(void **state) {
  (void)state;
  char *all = NULL, *finding = render_kind(CS_KIND_OUT_OF_BOUNDS, cs_format_memcheck.finding);
  size_t bytes = 0;
  FILE *out = open_memstream(&all, &bytes);
  assert_non_null(out);
  cs_format_memcheck.head(out);
  fputs(finding, out);
  cs_format_memcheck.leaks(30, 12000, out);
  cs_format_memcheck.run(&(struct cs_run){.errors = 100030}, out);
  cs_format_memcheck.head(out);
  cs_format_memcheck.run(&(struct cs_run){.errors = 0}, out);
  cs_format_memcheck.run(&(struct cs_run){.errors = 1}, out);
  fclose(out);
  golden_compare_text("run.memcheck", all);
  free(finding);
  free(all);
}

static void text(void **state) {
  (void)state;
  compare_all("every-kind.text", cs_format_text.finding);
}

static char *read_all(const char *path) {
  char *content = calloc(1, 1 << 20);
  FILE *in = fopen(path, "r");
  assert_non_null(content);
  assert_non_null(in);
  assert_true(fread(content, 1, (1 << 20) - 1, in) > 0);
  fclose(in);
  return content;
}

static void temporary(char *path) {
  strcpy(path, "/tmp/cusafe-formats-XXXXXX");
  int file = mkstemp(path);
  assert_true(file >= 0);
  close(file);
}

static void add_kind(const char *path, const struct cs_format *document, enum cs_kind kind) {
  char *text = render_kind(kind, document->finding);
  assert_int_equal(cs_document_add(path, document, text, strlen(text)), 0);
  free(text);
}

static const struct cs_run full_run = {.program = "./a.out",
                                       .pid = 4242,
                                       .origin = &origin,
                                       .milliseconds = 3057,
                                       .launches = 17,
                                       .kernels = 2,
                                       .buffers = 5,
                                       .bytes = 5000000,
                                       .most_bytes = 4000,
                                       .untagged = 1,
                                       .checks = 1234567,
                                       .modules = 2,
                                       .counting = 2,
                                       .errors = 100013,
                                       .findings = 14,
                                       .hidden = 1,
                                       .degraded = {[CS_DEGRADED_BUFFERS] = 3, [CS_DEGRADED_MODULES] = 1}};

static void json_run(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  cs_format_json.run(&full_run, out);
  cs_format_json.run(&(struct cs_run){.program = "b.out", .origin = &origin, .modules = 1}, out);
  fclose(out);
  golden_compare_text("run.jsonl", text);
  free(text);
}

static void degraded_text(void **state) {
  (void)state;
  char *text = NULL;
  size_t bytes = 0;
  struct cs_run run = {.degraded = {0}};
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  cs_render_degraded(&run, "cusafe: ", out);
  assert_int_equal(ftell(out), 0);
  for (cs_u64 count = 1; count < 3; count++) {
    for (int i = 0; i < CS_DEGRADED_COUNT; i++)
      run.degraded[i] = count;
    cs_render_degraded(&run, "cusafe: ", out);
  }
  fclose(out);
  golden_compare_text("degraded.txt", text);
  free(text);
}

static void degraded_sarif(void **state) {
  (void)state;
  char path[64], error[256], *run = NULL;
  size_t bytes = 0;
  temporary(path);
  assert_int_equal(cs_document_begin(path, &cs_format_sarif, 0, error, sizeof error), 0);
  FILE *out = open_memstream(&run, &bytes);
  cs_format_sarif.run(&full_run, out);
  fclose(out);
  assert_int_equal(cs_document_add(path, &cs_format_sarif, run, bytes), 0);
  free(run);
  char *content = read_all(path);
  golden_compare_text("degraded.sarif", content);
  free(content);
  unlink(path);
}

/* Figures that were not counted are not printed. */
static void summary(void **state) {
  (void)state;
  struct cs_run run = full_run;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_non_null(out);
  cs_render_summary(&run, "cusafe: ", out);
  run.counting = 1;
  cs_render_summary(&run, "cusafe: ", out);
  run.counting = 0;
  cs_render_summary(&run, "cusafe: ", out);
  run.silent = 1;
  cs_render_summary(&run, "cusafe: ", out);
  cs_render_summary(&(struct cs_run){.buffers = 1000000, .bytes = 80ull << 40, .most_bytes = 40ull << 30},
                    "cusafe: ", out);
  cs_render_summary(&(struct cs_run){.buffers = 3, .bytes = 5000, .most_bytes = 5000}, "cusafe: ", out);
  cs_render_summary(&(struct cs_run){.launches = 1, .buffers = 1, .bytes = 1, .modules = 1}, "cusafe: ", out);
  cs_render_summary(&(struct cs_run){.operators = 2}, "cusafe: ", out);
  cs_render_summary(&(struct cs_run){0}, "cusafe: ", out);
  fclose(out);
  golden_fits(text);
  golden_compare_text("summary.txt", text);
  free(text);
}

static void compare_document(const char *name, const struct cs_format *document) {
  char path[64], error[256];
  temporary(path);
  assert_int_equal(cs_document_begin(path, document, 0, error, sizeof error), 0);
  for (int kind = 0; kind < CS_KIND_COUNT; kind++) {
    if (kind == 5) /* another process continues */
      assert_int_equal(cs_document_begin(path, document, 1, error, sizeof error), 0);
    add_kind(path, document, (enum cs_kind)kind);
  }
  if (document == &cs_format_html) {
    char *run = NULL;
    size_t bytes = 0;
    FILE *out = open_memstream(&run, &bytes);
    cs_format_html.run(&full_run, out);
    fclose(out);
    assert_int_equal(cs_document_add(path, document, run, bytes), 0);
    free(run);
  }
  char *content = read_all(path);
  golden_compare_text(name, content);
  free(content);
  unlink(path);
}

static void sarif(void **state) {
  (void)state;
  compare_document("every-kind.sarif", &cs_format_sarif);
}

static void html(void **state) {
  (void)state;
  compare_document("every-kind.html", &cs_format_html);
}

/* Every finding has a row in the index that links to it. */
static void html_index(void **state) {
  (void)state;
  for (int kind = 0; kind < CS_KIND_COUNT; kind++) {
    char *text = render_kind((enum cs_kind)kind, cs_format_html.finding);
    const char *link = strstr(text, "<a class=\"row\" href=\"#p4242-");
    assert_non_null(link);
    link = strchr(link, '#') + 1;
    char anchor[128];
    snprintf(anchor, sizeof anchor, "<h2 id=\"%.*s\">", (int)strcspn(link, "\""), link);
    assert_non_null(strstr(text, anchor));
    assert_non_null(strstr(link, cs_report_kind_name((enum cs_kind)kind)));
    free(text);
  }
}

static void empty_sarif(void **state) {
  (void)state;
  char path[64], error[256];
  temporary(path);
  assert_int_equal(cs_document_begin(path, &cs_format_sarif, 1, error, sizeof error), 0);
  char *content = read_all(path);
  golden_compare_text("empty.sarif", content);
  free(content);
  unlink(path);
}

static void a_new_run_starts_an_empty_file(void **state) {
  (void)state;
  char path[64], error[256];
  temporary(path);
  assert_int_equal(cs_document_begin(path, &cs_format_sarif, 0, error, sizeof error), 0);
  add_kind(path, &cs_format_sarif, CS_KIND_LEAK);
  assert_int_equal(cs_document_begin(path, &cs_format_sarif, 0, error, sizeof error), 0);
  char *content = read_all(path);
  assert_null(strstr(content, "\"ruleIndex\""));
  free(content);
  unlink(path);
}

static void other_files_are_not_overwritten(void **state) {
  (void)state;
  char path[64], error[256];
  temporary(path);
  FILE *out = fopen(path, "w");
  assert_non_null(out);
  fputs("my diary\n", out);
  fclose(out);
  assert_int_equal(cs_document_begin(path, &cs_format_sarif, 1, error, sizeof error), -1);
  assert_non_null(strstr(error, "remove it"));
  assert_int_equal(cs_document_add(path, &cs_format_sarif, "x", 1), -1);
  char *content = read_all(path);
  assert_string_equal(content, "my diary\n");
  free(content);
  unlink(path);
  assert_int_equal(cs_document_begin("/proc/absent/x", &cs_format_html, 0, error, sizeof error), -1);
  assert_non_null(strstr(error, "cannot write to '/proc/absent/x'"));
  assert_int_equal(cs_document_begin("/tmp", &cs_format_html, 0, error, sizeof error), -1);
  assert_int_equal(cs_document_begin("/dev/null", &cs_format_html, 0, error, sizeof error), -1);
}

/* Whatever the strings of a damaged site table hold, the output is valid UTF-8 and one object on one line. */
static void malformed_text_is_escaped(void **state) {
  (void)state;
  static const struct {
    const char *text, *json;
  } cases[] = {
      {"a\"b\\c", "\"a\\\"b\\\\c\""},
      {"a\nb\x1b[31m", "\"a\\u000ab\\u001b[31m\""},
      {"\xc3\xa4", "\"\xc3\xa4\""},
      {"\xff\xc3", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
      {"\xed\xa0\x80", "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
      {"\xc0\xaf", "\"\xef\xbf\xbd\xef\xbf\xbd\""},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char buffer[64] = "";
    struct cs_report_json j = {.out = fmemopen(buffer, sizeof buffer, "w")};
    cs_report_json_text(&j, NULL, cases[i].text);
    fclose(j.out);
    assert_string_equal(buffer, cases[i].json);
  }
}

/* "at the start of", but "8 bytes inside of". */
static void sentences(void **state) {
  (void)state;
  static const char *const texts[] = {"read of 4 bytes at the start of a freed 400-byte buffer",
                                      "read of 4 bytes, 8 bytes inside of a freed 400-byte buffer"};
  for (int i = 0; i < 2; i++) {
    struct cs_record record = fixture_record(SITE_GATHER, 8 * i, 4);
    struct cs_evidence evidence = fixture_evidence(&record, &fixture_own_freed);
    struct cs_finding finding;
    char sentence[256];
    record.word = 0;
    assert_int_equal(cs_diagnose(&evidence, &finding), 0);
    assert_string_equal(cs_report_sentence(&finding, sentence, sizeof sentence), texts[i]);
    cs_finding_release(&finding);
  }
}

/* 10^5 offending threads are one report that fits on a screen. */
static void many_threads_fit_a_screen(void **state) {
  (void)state;
  char *report = render_kind(CS_KIND_OUT_OF_BOUNDS, cs_format_text.finding);
  size_t lines = 0;
  for (const char *c = report; *c; c++)
    lines += *c == '\n';
  assert_non_null(strstr(report, "100000 errors at this site"));
  assert_in_range(lines, 10, 40);
  free(report);
}

/* docs/use/reports.md has a row for every kind. */
static void kinds_are_documented(void **state) {
  (void)state;
  char *document = read_all(CUSAFE_REPORTS_DOCUMENT);
  for (int kind = 0; kind < CS_KIND_COUNT; kind++) {
    char row[1024];
    snprintf(row, sizeof row, "\n| `%s` | %s |\n", cs_report_kind_name((enum cs_kind)kind),
             cs_report_kind_help((enum cs_kind)kind));
    if (!strstr(document, row))
      fail_msg("docs/use/reports.md has no row like this:%s", row);
  }
  free(document);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(text),
      cmocka_unit_test(json),
      cmocka_unit_test(short_lines),
      cmocka_unit_test(lines_of_long_names_are_short),
      cmocka_unit_test(oneline),
      cmocka_unit_test(memcheck),
      cmocka_unit_test(memcheck_run),
      cmocka_unit_test(sarif),
      cmocka_unit_test(summary),
      cmocka_unit_test(json_run),
      cmocka_unit_test(degraded_text),
      cmocka_unit_test(degraded_sarif),
      cmocka_unit_test(empty_sarif),
      cmocka_unit_test(html),
      cmocka_unit_test(html_index),
      cmocka_unit_test(a_new_run_starts_an_empty_file),
      cmocka_unit_test(other_files_are_not_overwritten),
      cmocka_unit_test(malformed_text_is_escaped),
      cmocka_unit_test(sentences),
      cmocka_unit_test(many_threads_fit_a_screen),
      cmocka_unit_test(kinds_are_documented),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
