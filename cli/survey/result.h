/* result.h: the outcome of one folder. */
#ifndef CUSAFE_CLI_SURVEY_RESULT_H
#define CUSAFE_CLI_SURVEY_RESULT_H

enum { CS_CLI_REASON_ROOM = 160 };

/* The reason of a folder whose worker was killed; --resume repeats it. */
#define CS_CLI_WORKER_DIED "cusafe: the survey's worker process died"

/* Workers send it through a pipe, so it contains no pointers. */
struct cs_cli_result {
  int done, built, ran, passed, findings, exit_code;
  int clang;                       /* 1: clang alone accepts the sources; 0: it does not; -1: unknown */
  double build_time, run_time;     /* seconds */
  double run_processor_time;       /* CPU seconds, which the load of the machine hardly changes */
  char reason[CS_CLI_REASON_ROOM]; /* why the folder did not pass, worded alike for the same cause; or empty */
  char detail[CS_CLI_REASON_ROOM]; /* the line of the log that gave the reason; or empty */
};

#endif
