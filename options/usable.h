/* usable.h: whether what the options name can be used: files and the regular expression. `cusafe run` asks before it starts the
 * program, since that may never come to a CUDA call, and the program's own process asks again at its first. */
#ifndef CUSAFE_OPTIONS_USABLE_H
#define CUSAFE_OPTIONS_USABLE_H

#include "options/options.h"
#include <regex.h>

/* What is done to the files of options/files.inc. */
enum cs_options_file_kind { CS_OPTIONS_FILE_READ, CS_OPTIONS_FILE_ADDED, CS_OPTIONS_FILE_BEGUN };

enum cs_options_usable_when {
  CS_OPTIONS_USABLE_BEFORE,
  CS_OPTIONS_USABLE_NOW
}; /* before: the process's number is not known */

/* Each returns 0, or -1 with one sentence in error. */

/* Begins the files of json, sarif and html, and looks whether the others can be written to. No two may be the same file. */
int cs_options_usable_outputs(const struct cs_options *options, enum cs_options_usable_when when, char *error,
                              size_t error_size);

/* Compiles kernel_regex, which is not empty. */
int cs_options_usable_expression(const struct cs_options *options, regex_t *to, char *error, size_t error_size);

/* Reads what is only read, and forgets it. */
int cs_options_usable_filters(const struct cs_options *options, char *error, size_t error_size);

#endif
