/* suppress.h: files that specify findings to ignore.
 *
 * Lines are "kind:pattern"; empty lines and lines that start with # are ignored. kind is one of report/kinds.inc, or *.
 * The pattern is matched with the function, the file and the module of every frame of the finding, and with the
 * kernel's name. It matches anywhere in them, unless it starts with ^ or ends with $; * matches any text. */
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
