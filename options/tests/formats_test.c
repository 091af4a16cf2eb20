/* formats_test.c: the options that choose a report format. */
#include "options/options.h"
#include "report/formats.h"
#include "report/tests/cmocka_all.h"
#include <string.h>

static void is_format(const char *name, int is_file) {
  const struct cs_format *format = cs_format(name);
  if (!format)
    fail_msg("%s is no format", name);
  else if (is_file)
    assert_non_null(format->run); /* a file states that its run has ended */
}

/* Names of formats are strings in options.inc and files.inc. */
static void every_choice_and_every_report_file_has_its_format(void **state) {
  (void)state;
  char names[256] = "";
#define CS_OPTIONS_FLAG(name, value, help)
#define CS_OPTIONS_NUMBER(name, value, help)
#define CS_OPTIONS_COUNT(name, value, help)
#define CS_OPTIONS_SHARE(name, value, help)
#define CS_OPTIONS_TEXT(name, value, help)
#define CS_OPTIONS_CHOICE(name, value, choices, help)                                                                  \
  if (strcmp(#name, "format") == 0)                                                                                    \
    strcpy(names, choices);
#include "options/options.inc"
  assert_non_null(strchr(names, '|'));
  for (char *name = strtok(names, "|"); name; name = strtok(NULL, "|"))
    is_format(name, 0);
#define CS_OPTIONS_FILE(name, kind)                                                                                    \
  if (CS_OPTIONS_FILE_##kind == CS_OPTIONS_FILE_BEGUN)                                                                 \
    is_format(#name, 1);
#include "options/files.inc"
  assert_null(cs_format("xml"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_choice_and_every_report_file_has_its_format),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
