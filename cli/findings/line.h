/* line.h: fields of a line of JSON, as parts of its text. Strings stay escaped, so that they can be written again as
 * they are. */
#ifndef CUSAFE_CLI_FINDINGS_LINE_H
#define CUSAFE_CLI_FINDINGS_LINE_H

#include <stddef.h>

/* A part of a line; text is NULL if there is none. A string is without its quotes. */
struct cs_cli_part {
  const char *text;
  size_t bytes;
};

/* The value of a key of an object, which starts at a brace. */
struct cs_cli_part cs_cli_part_of(struct cs_cli_part object, const char *key);
int cs_cli_part_is(struct cs_cli_part part, const char *text);
int cs_cli_part_compare(struct cs_cli_part a, struct cs_cli_part b); /* as strcmp() */
unsigned long long cs_cli_part_number(struct cs_cli_part part);      /* 0 if it is none */

/* The next item of an object or an array: its key, which an array has not, and its value as it is, with the quotes of a
 * string. *at is the container's start at first, and NULL after the last one. Returns 1, or 0 at the end. */
int cs_cli_part_next(const char **at, struct cs_cli_part *key, struct cs_cli_part *value);

/* Whether the line is one whole object, with balanced braces and strings. */
int cs_cli_is_object(const char *line);

#endif
