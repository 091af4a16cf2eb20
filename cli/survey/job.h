/* job.h: one folder of a survey. */
#ifndef CUSAFE_CLI_SURVEY_JOB_H
#define CUSAFE_CLI_SURVEY_JOB_H

#include "cli/survey/folders.h"
#include "cli/survey/result.h"

/* Builds and runs the folder, and fills the result. */
void cs_cli_survey_job(const struct cs_cli_survey *s, const struct cs_cli_folder *folder, struct cs_cli_result *r);

#endif
