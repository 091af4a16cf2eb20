/* survey.h: what the parts of `cusafe survey` share. */
#ifndef CUSAFE_CLI_SURVEY_H
#define CUSAFE_CLI_SURVEY_H

#include "cli/argv.h"
#include "cli/paths.h"

/* What the user has asked for, and what is the same for all folders. Workers only read it. */
struct cs_cli_survey {
  int bare, build_only, every, jobs;
  double run_limit, build_limit; /* seconds */
  const char *only, *json, *log_dir;
  struct cs_cli_argv roots;
  struct cs_cli_argv commands;  /* lines "folder: command" */
  struct cs_cli_argv make_args; /* one word each */
  struct cs_cli_paths paths;
  char toolkit[PATH_MAX]; /* the real one */
  char shim[PATH_MAX];    /* the one that builds get to see: its nvcc is cusafe */
  char logs[PATH_MAX];    /* log_dir, or a temporary folder */
};

struct cs_cli_folder {
  char *path; /* absolute */
  char *name; /* as the table shows it: below the root; with several roots, with the root */
};

struct cs_cli_folders {
  struct cs_cli_folder *items;
  size_t count, room;
};

/* How a build is done, if the folder can be built at all. */
enum cs_cli_build_kind { CS_CLI_BUILD_NONE, CS_CLI_BUILD_MAKE, CS_CLI_BUILD_CMAKE };

enum { CS_CLI_REASON_ROOM = 160 };

/* What became of one folder. It crosses a pipe, so it has no pointers. */
struct cs_cli_result {
  int done, built, ran, passed, findings, exit_code;
  int clang;                       /* 1: clang itself accepts the sources; 0: it does not; -1: nobody has asked */
  double build_time, run_time;     /* seconds */
  double run_processor_time;       /* seconds of all processors, which other work on the machine hardly changes */
  char reason[CS_CLI_REASON_ROOM]; /* why it did not pass, in words that are the same for the same cause; or empty */
  char detail[CS_CLI_REASON_ROOM]; /* the line that says so, as it is; or empty */
};

/* survey_find.c: the folders below the roots, by name. */
void cs_cli_survey_find(const struct cs_cli_survey *s, struct cs_cli_folders *found);
void cs_cli_folders_free(struct cs_cli_folders *list);
enum cs_cli_build_kind cs_cli_build_kind(const char *folder);

/* survey_shim.c: makes s->shim; 0, or -1 with a message. */
int cs_cli_survey_make_shim(struct cs_cli_survey *s);

/* survey_job.c: builds, runs and judges one folder. */
void cs_cli_survey_job(const struct cs_cli_survey *s, const struct cs_cli_folder *folder, struct cs_cli_result *r);

/* survey_programs.c: the one program that appeared below `folder` since `since` (seconds since 1970) goes to `path`. Returns
 * how many there are. */
int cs_cli_find_built_program(const char *folder, double since, char path[PATH_MAX]);

/* survey_judge.c: pure readings of logs. */
void cs_cli_judge_build(const char *log,
                        struct cs_cli_result *r); /* fills clang, reason and detail of a failed build */
void cs_cli_judge_run(const char *log,
                      struct cs_cli_result *r);            /* exit_code is known, passed, reason and detail are not */
int cs_cli_judge_make_status(const char *log, int status); /* the program's exit status, which make hides */
int cs_cli_judge_line(const char *line);                   /* 1 if a line of output says that the program has failed */
int cs_cli_count_findings(const char *reports);            /* in a file of reports */

/* survey_print.c */
void cs_cli_survey_print(const struct cs_cli_survey *s, const struct cs_cli_folders *folders,
                         const struct cs_cli_result *results);
int cs_cli_survey_write_json(const char *path, const struct cs_cli_folders *folders,
                             const struct cs_cli_result *results);

#endif
