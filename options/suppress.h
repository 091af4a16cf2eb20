/* suppress.h: files that say which findings to ignore.
 *
 * Lines "kind:pattern"; empty lines and those that begin with # count for nothing. kind is one of report/kinds.inc, or *. The
 * pattern is looked for in the function and file of every frame of the finding, and in the kernel's name: anywhere in them,
 * unless it begins with ^ or ends with $; * stands for anything. */
#ifndef CUSAFE_OPTIONS_SUPPRESS_H
#define CUSAFE_OPTIONS_SUPPRESS_H

#include "report/finding.h"

struct cs_options_suppressions;

/* Returns the list, or NULL with one sentence in error. */
struct cs_options_suppressions *cs_options_suppressions_read(const char *path, char *error, size_t error_size);
void cs_options_suppressions_free(struct cs_options_suppressions *list);

int cs_options_suppressions_match(const struct cs_options_suppressions *list, const struct cs_finding *finding);

/* 1 if the pattern is found in the text. */
int cs_options_pattern_found(const char *pattern, const char *text);

#endif
