/* reasons.c: names of the reasons, in statistics and in -cusafe-eliminate. */
#include "pass/module/reasons.h"
#include "pass/module/pass.h"
#include "report/print.h"
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *option;
} reasons[CS_PASS_REASON_COUNT] = {
#define CS_PASS_REASON(id, name, option) [CS_PASS_REASON_##id] = {name, option},
#include "pass/module/reasons.inc"
};

static int reason_of_option(const char *name, size_t length) {
  for (int r = 0; r < CS_PASS_REASON_COUNT; r++)
    if (reasons[r].option && strlen(reasons[r].option) == length && strncmp(reasons[r].option, name, length) == 0)
      return r;
  return -1;
}

static void print_options(const char *name, size_t length) {
  cs_report_print(stderr, "cusafe: -cusafe-eliminate: '%.*s' is not an elimination; there are all, none", (int)length,
                  name);
  for (int r = 0; r < CS_PASS_REASON_COUNT; r++)
    if (reasons[r].option)
      cs_report_print(stderr, ", %s", reasons[r].option);
  fputs("\n", stderr);
}

int cs_pass_parse_eliminations(const char *list) {
  int bits = 0;
  for (const char *at = list; *at != '\0';) {
    size_t length = strcspn(at, ",");
    int reason = reason_of_option(at, length);
    if (length == 3 && strncmp(at, "all", 3) == 0)
      bits = (1 << CS_PASS_REASON_COUNT) - 1;
    else if (reason >= 0)
      bits |= 1 << reason;
    else if (length != 4 || strncmp(at, "none", 4) != 0)
      return print_options(at, length), -1;
    at += length + (at[length] == ',');
  }
  return bits;
}

int cs_pass_eliminates(const struct cs_pass *pass, enum cs_pass_reason reason) {
  return (pass->eliminations & 1 << reason) != 0;
}

const char *cs_pass_reason_name(enum cs_pass_reason reason) {
  return reasons[reason].name;
}
