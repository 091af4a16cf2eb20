/* ignore_rules.c: reads ignore lists, in the format of clang's sanitizers, and looks up names in them. */
#include "pass/module/ignore_rules.h"
#include "ir/map.h"
#include "ir/memory.h"
#include "report/print.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *trim(char *line) {
  line += strspn(line, " \t");
  size_t length = strlen(line);
  while (length && strchr(" \t\r\n", line[length - 1]))
    line[--length] = 0;
  return line;
}

static int complain(const char *file, int number, const char *line) {
  cs_report_print(
      stderr,
      "cusafe: %s:%d: '%s' is not a rule: write src:PATTERN or fun:PATTERN, one per line, or put rules for other tools "
      "below a line such as [address]\n",
      file, number, line);
  return -1;
}

void cs_pass_ignore_rules_add(struct cs_pass_ignore_rules *list, int is_function, const char *text, size_t length) {
  char *pattern = cs_ir_copy_text(text, length);
  cs_ir_push(list->rules, list->count, (struct cs_pass_ignore_rule){is_function, pattern});
}

static int add_rule(struct cs_pass_ignore_rules *list, const char *line) {
  int is_function = strncmp(line, "fun:", 4) == 0;
  if ((!is_function && strncmp(line, "src:", 4) != 0) || line[4] == 0)
    return -1;
  cs_pass_ignore_rules_add(list, is_function, line + 4, strlen(line + 4));
  return 0;
}

/* [cusafe], [*], and lists such as [address|cusafe] are ours. */
static int is_our_section(const char *line) {
  return strstr(line, "cusafe") != NULL || strcmp(line, "[*]") == 0;
}

int cs_pass_ignore_rules_read(struct cs_pass_ignore_rules *list, const char *file) {
  char *line = NULL;
  size_t room = 0;
  int ours = 1, bad = 0;
  if (*file == 0)
    return 0;
  FILE *in = fopen(file, "r");
  if (in == NULL) {
    cs_report_print(stderr, "cusafe: the ignore list %s cannot be read: %s\n", file, strerror(errno));
    return -1;
  }
  ssize_t bytes;
  for (int number = 1; !bad && (bytes = getline(&line, &room, in)) >= 0; number++) {
    int is_text = !memchr(line, 0, (size_t)bytes);
    const char *text = trim(line);
    if (!is_text) {
      cs_report_print(stderr, "cusafe: the ignore list %s is not a text file: line %d contains a null byte\n", file,
                      number);
      bad = -1;
    } else if (*text == '[' && text[strlen(text) - 1] == ']')
      ours = is_our_section(text);
    else if (*text == '[') /* a broken section line must not mix CuSafe's rules with another tool's */
      bad = complain(file, number, text);
    else if (ours && *text && *text != '#' && add_rule(list, text) != 0)
      bad = complain(file, number, text);
  }
  if (!bad && ferror(in)) {
    cs_report_print(stderr, "cusafe: the ignore list %s cannot be read: %s\n", file, strerror(errno));
    bad = -1;
  }
  free(line);
  fclose(in);
  return bad;
}

void cs_pass_ignore_rules_free(struct cs_pass_ignore_rules *list) {
  for (size_t i = 0; i < list->count; i++)
    free(list->rules[i].pattern);
  free(list->rules);
}

int cs_pass_ignore_rules_have(const struct cs_pass_ignore_rules *list, int is_function, const char *name) {
  for (size_t i = 0; i < list->count; i++)
    if (list->rules[i].is_function == is_function && fnmatch(list->rules[i].pattern, name, 0) == 0)
      return 1;
  return 0;
}
