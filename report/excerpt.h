/* excerpt.h: the line of source that a finding points at, with a caret. */
#ifndef CUSAFE_REPORT_EXCERPT_H
#define CUSAFE_REPORT_EXCERPT_H

#include "report/finding.h"

/* Prints two lines (source, caret) to out if the file can be read; a relative file is searched in `directory` (or
 * NULL). Returns 0, or -1 when nothing was printed. */
int cs_report_print_excerpt(const struct cs_source *source, const char *directory,
                            const struct cs_text_options *options, FILE *out);

/* The file for reading, or NULL. */
FILE *cs_report_open_source(const char *file, const char *directory);

#endif
