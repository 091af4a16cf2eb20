/* usable.h: validates the files and the regular expression that options name. `cusafe run` does it before it starts the program,
 * which may never make a CUDA call, and the program's own process does it again at its first CUDA call. */
#ifndef CUSAFE_OPTIONS_USABLE_H
#define CUSAFE_OPTIONS_USABLE_H

#include "options/options.h"
#include <regex.h>

/* How the files of options/files.inc are used. */
enum cs_options_file_kind { CS_OPTIONS_FILE_READ, CS_OPTIONS_FILE_ADDED, CS_OPTIONS_FILE_BEGUN };

enum cs_options_usable_when { CS_OPTIONS_USABLE_BEFORE, CS_OPTIONS_USABLE_NOW }; /* before: the process ID is unknown */

/* Each returns 0, or -1 with one sentence in error. */

/* Starts the files of json, sarif and html, and checks that the others can be written. No two may be the same file. */
int cs_options_usable_outputs(const struct cs_options *options, enum cs_options_usable_when when, char *error,
                              size_t error_size);

/* Compiles kernel_regex, which is not empty. */
int cs_options_usable_expression(const struct cs_options *options, regex_t *to, char *error, size_t error_size);

/* Reads suppressions and baseline only to validate them, and compiles kernel_regex. */
int cs_options_usable_filters(const struct cs_options *options, char *error, size_t error_size);

#endif
