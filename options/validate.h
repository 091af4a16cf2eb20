/* validate.h: validates the files and the regular expression that options name. `cusafe run` does it before it starts
 * the program, which may never make a CUDA call, and the program's own process does it again at its first CUDA call. */
#ifndef CUSAFE_OPTIONS_VALIDATE_H
#define CUSAFE_OPTIONS_VALIDATE_H

#include "options/options.h"
#include <regex.h>

/* Before the program runs, its process ID is unknown: files with %p in their names are not started. */
enum cs_options_validation_time { CS_OPTIONS_BEFORE_RUN, CS_OPTIONS_IN_PROCESS };

/* Each returns 0, or -1 with one sentence in error. */

/* Starts the files of json, sarif and html, and checks that the others can be written. No two may be the same file. */
int cs_options_validate_outputs(const struct cs_options *options, enum cs_options_validation_time when, char *error,
                                size_t error_size);

/* Compiles kernel_regex, which is not empty. */
int cs_options_compile_regex(const struct cs_options *options, regex_t *to, char *error, size_t error_size);

/* Reads suppressions and baseline only to validate them, and compiles kernel_regex. */
int cs_options_validate_filters(const struct cs_options *options, char *error, size_t error_size);

#endif
