/* lines.h: results as lines of JSON: appended as they come, and read again by --resume and --merge. */
#ifndef CUSAFE_CLI_SURVEY_LINES_H
#define CUSAFE_CLI_SURVEY_LINES_H

#include "cli/survey/folders.h"
#include "cli/survey/result.h"
#include <stdio.h>

/* The members of a result's JSON object, without its braces. */
void cs_cli_survey_put_members(FILE *out, const char *name, const struct cs_cli_result *r);
void cs_cli_survey_put_string(FILE *out, const char *text);

/* The options that results of one table have in common. Returns `to`. */
enum { CS_CLI_SURVEY_OPTIONS_MAX = 128 };
const char *cs_cli_survey_options(const struct cs_cli_survey *s, char to[CS_CLI_SURVEY_OPTIONS_MAX]);

/* One line, with these options. */
void cs_cli_survey_put_line(FILE *out, const struct cs_cli_survey *s, const char *name, const struct cs_cli_result *r);

/* A file that many processes may append to: each line is one write() with O_APPEND. */
struct cs_cli_lines_out {
  const char *path;
  int file;   /* -1: closed */
  int torn;   /* the file's last line is incomplete */
  int failed; /* lines are missing in the file */
};

/* 0, or -1 with a message. */
int cs_cli_lines_open(struct cs_cli_lines_out *out, const char *path);
void cs_cli_lines_append(struct cs_cli_lines_out *out, const struct cs_cli_survey *s, const char *name,
                         const struct cs_cli_result *r);
void cs_cli_lines_close(struct cs_cli_lines_out *out);

struct cs_cli_line {
  char *name;
  size_t number; /* lines are counted over all files */
  struct cs_cli_result result;
};

struct cs_cli_lines {
  struct cs_cli_line *items;
  size_t count, room;
  char options[CS_CLI_SURVEY_OPTIONS_MAX]; /* of all lines */
};

/* Adds the lines of a file. Incomplete lines, which a full disk or a power failure leaves, are reported and skipped.
 * 0, or -1 with a message. */
int cs_cli_lines_read(struct cs_cli_lines *lines, const char *path);

/* Sorts by name, and keeps the last line of each folder. */
void cs_cli_lines_sort(struct cs_cli_lines *lines);
/* Of sorted lines; NULL if there is none. */
const struct cs_cli_line *cs_cli_lines_find(const struct cs_cli_lines *lines, const char *name);
void cs_cli_lines_free(struct cs_cli_lines *lines);

#endif
