/* programs.h: the programs that a build has produced. */
#ifndef CUSAFE_CLI_SURVEY_PROGRAMS_H
#define CUSAFE_CLI_SURVEY_PROGRAMS_H

#include <limits.h>

/* Counts the programs below `folder` that are newer than `since` (seconds since 1970). `path` gets the last one
 * found. */
int cs_cli_find_built_program(const char *folder, double since, char path[PATH_MAX]);

#endif
