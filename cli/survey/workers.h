/* workers.h: one process per folder, several at a time. */
#ifndef CUSAFE_CLI_SURVEY_WORKERS_H
#define CUSAFE_CLI_SURVEY_WORKERS_H

#include "cli/survey/folders.h"
#include "cli/survey/result.h"

/* Runs the job of every folder; results[i] belongs to folders->items[i]. 0, or -1 with a message. */
int cs_cli_survey_run_all(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                          struct cs_cli_result *results);

/* Whether a signal, or the loss of the temporary folder, has stopped the survey. */
int cs_cli_survey_interrupted(void);

#endif
