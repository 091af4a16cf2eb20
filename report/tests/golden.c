/* golden.c: renders evidence and compares. */
#include "report/tests/golden.h"
#include "report/formats.h"
#include "report/tests/cmocka_all.h"
#include <stdlib.h>
#include <string.h>

#define COLUMNS 100

static char *render(const struct cs_evidence *evidence, const struct cs_text_options *options) {
  struct cs_finding finding;
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  assert_int_equal(cs_diagnose(evidence, &finding), 0);
  cs_format_text.finding(&finding, options, out);
  cs_finding_release(&finding);
  fclose(out);
  return text;
}

static char *read_golden(const char *path) {
  char *text = calloc(1, 1 << 20);
  FILE *in = fopen(path, "r");
  if (in) {
    assert_true(fread(text, 1, (1 << 20) - 1, in) < (1 << 20) - 1);
    fclose(in);
  }
  return text;
}

static void write_golden(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  if (!out)
    fail_msg("cannot write %s", path);
  else {
    fputs(text, out);
    fclose(out);
  }
}

void golden_fits(const char *text) {
  for (const char *line = text; *line; line += strcspn(line, "\n") + 1)
    if (strcspn(line, "\n") > COLUMNS)
      fail_msg("longer than %d columns: %.*s", COLUMNS, (int)strcspn(line, "\n"), line);
}

/* The text with <sources> for the folder of the test's sources. */
static char *without_folder(const char *text) {
  char *result = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&result, &bytes);
  for (const char *found; (found = strstr(text, CUSAFE_TEST_SOURCES)); text = found + strlen(CUSAFE_TEST_SOURCES))
    fprintf(out, "%.*s<sources>", (int)(found - text), text);
  fputs(text, out);
  fclose(out);
  return result;
}

void golden_compare_text(const char *name, const char *raw) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", CUSAFE_TEST_GOLDEN, name);
  char *text = without_folder(raw);
  if (getenv("CUSAFE_UPDATE_GOLDEN"))
    write_golden(path, text);
  char *golden = read_golden(path);
  assert_string_equal(text, golden);
  free(golden);
  free(text);
}

void golden_compare_with(const char *name, const struct cs_evidence *evidence, struct cs_text_options options) {
  char file[256];
  options.pid = 4242;
  snprintf(file, sizeof file, "%s.txt", name);
  char *text = render(evidence, &options);
  golden_fits(text);
  golden_compare_text(file, text);
  free(text);
}

void golden_compare(const char *name, const struct cs_evidence *evidence) {
  golden_compare_with(name, evidence, (struct cs_text_options){0});
}
