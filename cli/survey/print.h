/* print.h: the survey's table and JSON. */
#ifndef CUSAFE_CLI_SURVEY_PRINT_H
#define CUSAFE_CLI_SURVEY_PRINT_H

#include "cli/survey/folders.h"
#include "cli/survey/result.h"

/* results[i] belongs to folders->items[i]. */
void cs_cli_survey_print(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                         const struct cs_cli_result *results);

/* 0, or -1 with a message. */
int cs_cli_survey_write_json(const char *path, const struct cs_cli_folders *folders,
                             const struct cs_cli_result *results);

#endif
