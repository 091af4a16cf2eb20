/* set.h: findings of many runs, merged by fingerprint. */
#ifndef CUSAFE_CLI_FINDINGS_SET_H
#define CUSAFE_CLI_FINDINGS_SET_H

#include "cli/findings/line.h"

struct cs_cli_found {
  char *line;                            /* the first one */
  struct cs_cli_part finding, place;     /* of it */
  struct cs_cli_part fingerprint, group; /* of it */
  unsigned long long lines, errors;      /* of all */
  char first[32], last[32];              /* times; "" if unknown */
};

/* Starts as zeros. */
struct cs_cli_found_set {
  struct cs_cli_found *all; /* in the order of the files */
  size_t count, capacity;
  size_t *slots; /* a hash table of indices, plus 1 */
  size_t slot_count;
};

/* Adds the lines of a file; "-" is standard input. Returns 0, or -1 after a message. */
int cs_cli_found_read(struct cs_cli_found_set *set, const char *path);
void cs_cli_found_release(struct cs_cli_found_set *set);
int cs_cli_found_has(const struct cs_cli_found_set *set, struct cs_cli_part fingerprint);

/* Worst first: writes and frees, then other errors, then leaks; each by the number of lines. Ends searches. */
void cs_cli_found_sort(struct cs_cli_found_set *set);

#endif
