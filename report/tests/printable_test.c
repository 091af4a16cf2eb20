/* printable_test.c: no name of a finding reaches a terminal as an escape sequence, or a script as a line of its own. */
#include "report/excerpt.h"
#include "report/formats.h"
#include "report/json.h"
#include "report/print.h"
#include "report/tests/cases.h"
#include "report/tests/cmocka_all.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* An escape sequence, a forged line, the Latin-1 form of an escape sequence, a change of direction, and a byte that is
 * no UTF-8. */
#define HOSTILE                                                                                                        \
  "a\x1b[2J\rb\nSUMMARY: CuSafe: forged\nc\xc2\x9b"                                                                    \
  "2Jd\xe2\x80\xae"                                                                                                    \
  "e\xfe\x7f"
static const char plain[] = "name";

typedef void renderer(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

static struct cs_stack renamed_stack(struct cs_stack stack, struct cs_source *frames, const char *name) {
  for (size_t i = 0; i < stack.count; i++) {
    frames[i] = stack.frames[i];
    frames[i].function = frames[i].file = frames[i].module = name;
  }
  return (struct cs_stack){frames, stack.count};
}

/* The finding of this kind, with every name replaced. */
static char *render_with(enum cs_kind kind, renderer *render, const char *name) {
  enum { FRAMES_MAX = 16 };
  static struct cs_source frames[6][FRAMES_MAX];
  static struct cs_buffer buffers[2];
  struct cs_report_launch launch;
  struct cs_finding f;
  const struct cs_text_options options = {.pid = 1};
  assert_int_equal(cs_diagnose(case_of_kind(kind), &f), 0);
  const char *kernel = f.kernel, *object = f.object;
  f.kernel = kernel ? name : NULL;
  f.object = object ? name : NULL;
  f.where = renamed_stack(f.where, frames[0], name);
  const struct cs_buffer **given[] = {&f.own, &f.touched};
  for (int i = 0; i < 2; i++)
    if (*given[i]) {
      buffers[i] = **given[i];
      buffers[i].allocated_by = renamed_stack(buffers[i].allocated_by, frames[1 + 2 * i], name);
      buffers[i].freed_by = renamed_stack(buffers[i].freed_by, frames[2 + 2 * i], name);
      *given[i] = &buffers[i];
    }
  if (f.launch) {
    launch = *f.launch;
    launch.stack = renamed_stack(launch.stack, frames[5], name);
    f.launch = &launch;
  }
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  render(&f, &options, out);
  fclose(out);
  cs_finding_release(&f);
  return text;
}

static size_t lines_of(const char *text) {
  size_t lines = 0;
  for (; *text; text++)
    lines += *text == '\n';
  return lines;
}

static void names_are_escaped(renderer *render) {
  for (int kind = 0; kind < CS_KIND_COUNT; kind++) {
    char *hostile = render_with((enum cs_kind)kind, render, HOSTILE);
    char *harmless = render_with((enum cs_kind)kind, render, plain);
    assert_null(strstr(hostile, "\nSUMMARY: CuSafe: forged"));
    assert_null(strstr(hostile, "\xc2\x9b"));
    assert_null(strstr(hostile, "\xe2\x80\xae"));
    for (const char *c = hostile; *c; c += cs_report_utf8_length(c)) {
      assert_true(cs_report_utf8_length(c) > 0);
      assert_true(*c == '\n' || ((unsigned char)*c >= ' ' && *c != 0x7f));
    }
    /* Long names wrap, so there may be more lines, but none has only foreign text at its start. */
    assert_true(lines_of(hostile) <= 2 * lines_of(harmless));
    free(hostile);
    free(harmless);
  }
}

static void in_text(void **state) {
  (void)state;
  names_are_escaped(cs_format_text.finding);
}

static void in_one_line(void **state) {
  (void)state;
  names_are_escaped(cs_format_oneline.finding);
  char *text = render_with(CS_KIND_OUT_OF_BOUNDS, cs_format_oneline.finding, HOSTILE);
  assert_int_equal(lines_of(text), 1);
  assert_non_null(
      strstr(text, "a\\x1b[2J\\x0db\\x0aSUMMARY: CuSafe: forged\\x0ac\\xc2\\x9b2Jd\\xe2\\x80\\xaee\\xfe\\x7f"));
  free(text);
}

static void in_memcheck_format(void **state) {
  (void)state;
  names_are_escaped(cs_format_memcheck.finding);
}

/* Lines and tabs of the format are printed; those of an argument are not, nor what represents them while the format is
 * filled in. */
static void in_messages(void **state) {
  static const char *const cases[][2] = {
      {"name", "cusafe:\tname\nnext\n"},
      {HOSTILE,
       "cusafe:\ta\\x1b[2J\\x0db\\x0aSUMMARY: CuSafe: forged\\x0ac\\xc2\\x9b2Jd\\xe2\\x80\\xaee\\xfe\\x7f\nnext\n"},
      {"\1\2", "cusafe:\\x02\\x01\\x02\\x01next\\x01\n"},
  };
  char *longer = calloc(1, 10001), *text = NULL;
  size_t bytes = 0;
  (void)state;
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    FILE *out = open_memstream(&text, &bytes);
    cs_report_print(out, "cusafe:\t%s\nnext\n", cases[i][0]);
    fclose(out);
    assert_string_equal(text, cases[i][1]);
    free(text);
  }
  memset(longer, 'a', 10000);
  FILE *out = open_memstream(&text, &bytes);
  cs_report_print(out, "%s.\n", longer);
  cs_report_print_lines(out, "b\x1b\n\tc");
  fclose(out);
  assert_int_equal(bytes, 10002 + strlen("b\\x1b\n\tc"));
  assert_string_equal(text + 9999, "a.\nb\\x1b\n\tc");
  free(text);
  free(longer);
}

/* The caret stays under the character, however many bytes precede it. */
static void in_source_lines(void **state) {
  (void)state;
  char path[] = "/tmp/cusafe-source-XXXXXX", *text = NULL;
  size_t bytes = 0;
  int file = mkstemp(path);
  assert_true(file >= 0);
  dprintf(file, "a\x1b\xc2\x9b\xe2\x80\xae\xc3\xa4\t\xff*p\n");
  close(file);
  const struct cs_source source = {.file = path, .line = 1, .column = 12};
  const struct cs_text_options options = {0};
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(cs_report_print_excerpt(&source, NULL, &options, out), 0);
  fclose(out);
  assert_string_equal(text, "       1 | a      \xc3\xa4     *p\n"
                            "         |              ^\n");
  free(text);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(in_text),     cmocka_unit_test(in_one_line),     cmocka_unit_test(in_memcheck_format),
      cmocka_unit_test(in_messages), cmocka_unit_test(in_source_lines),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
