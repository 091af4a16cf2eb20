/* settings.h: what one survey was asked to do. */
#ifndef CUSAFE_CLI_SURVEY_SETTINGS_H
#define CUSAFE_CLI_SURVEY_SETTINGS_H

#include "cli/base/argv.h"
#include "cli/base/paths.h"
#include "options/detect.h"

/* The user's options, and what all folders share. Workers only read it. */
struct cs_cli_survey {
  int bare, build_only, every, jobs;
  int list, merge, resume;            /* print the folders; `roots` are files of results; keep the results there are */
  int shard, shards;                  /* 1 to shards, of the folders that `only` and `every` select */
  int nvcc;                           /* the real nvcc builds, and the PTX is checked when it is loaded */
  char detect[CS_OPTIONS_DETECT_MAX]; /* what to look for besides errors of memory; "": nothing */
  double run_limit, build_limit;      /* seconds */
  const char *only, *json, *log_dir;
  const char *folder;    /* the only one, by its name in the table; or NULL */
  const char *results;   /* the file of JSON lines; or NULL */
  const char *cuda_path; /* or NULL */
  struct cs_cli_argv roots;
  struct cs_cli_argv commands;  /* lines "folder: command" */
  struct cs_cli_argv make_args; /* one word each */
  struct cs_cli_paths paths;
  char toolkit[PATH_MAX]; /* the real one */
  char shim[PATH_MAX];    /* the one that builds see: its nvcc is cusafe */
  char logs[PATH_MAX];    /* log_dir, or a temporary folder */
};

/* Fills a zero-initialised struct from the command line; `paths`, `toolkit`, `shim` and `logs` are the caller's. 0, or
 * -1 with a message. */
int cs_cli_survey_parse(struct cs_cli_survey *s, int argc, char **argv);
void cs_cli_survey_free(struct cs_cli_survey *s);

#endif
