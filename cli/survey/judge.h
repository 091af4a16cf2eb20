/* judge.h: verdicts from logs. */
#ifndef CUSAFE_CLI_SURVEY_JUDGE_H
#define CUSAFE_CLI_SURVEY_JUDGE_H

#include "cli/survey/result.h"

/* Fills clang, reason and detail of a failed build. */
void cs_cli_judge_build(const char *log, struct cs_cli_result *r);

/* Fills passed, reason and detail of a run whose exit_code and ran are known. */
void cs_cli_judge_run(const char *log, struct cs_cli_result *r);

/* The exit status of the program that make ran, which make's own status hides. */
int cs_cli_judge_make_status(const char *log, int status);

/* 1 if a line of output reports that the program's self-check failed. */
int cs_cli_judge_line(const char *line);

/* The number of findings in a file of reports. */
int cs_cli_count_findings(const char *reports);

#endif
