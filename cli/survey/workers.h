/* workers.h: one process per folder, several at a time. */
#ifndef CUSAFE_CLI_SURVEY_WORKERS_H
#define CUSAFE_CLI_SURVEY_WORKERS_H

#include "cli/survey/folders.h"
#include "cli/survey/lines.h"
#include "cli/survey/result.h"

/* Runs the job of every folder that is not done; results[i] belongs to folders->items[i]. Appends the results to
 * `lines`, or NULL, as they come. 0, or -1 with a message. */
int cs_cli_survey_run_all(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                          struct cs_cli_result *results, struct cs_cli_lines_out *lines);

/* Whether a signal, or the loss of the temporary folder, has stopped the survey. */
int cs_cli_survey_interrupted(void);

#endif
