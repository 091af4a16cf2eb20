/* argv.h: growable argument lists and formatted strings. Running out of memory ends the command: it is short-lived and
 * has nothing to save. */
#ifndef CUSAFE_CLI_BASE_ARGV_H
#define CUSAFE_CLI_BASE_ARGV_H

#include <stddef.h>

/* items[count] is NULL after the first push. The list owns its strings. */
struct cs_cli_argv {
  char **items;
  size_t count, room;
};

void cs_cli_argv_push(struct cs_cli_argv *list, const char *text);
void cs_cli_argv_pushf(struct cs_cli_argv *list, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cs_cli_argv_push_all(struct cs_cli_argv *list, const char *const *words, size_t count);
void cs_cli_argv_append(struct cs_cli_argv *list, const struct cs_cli_argv *more);
void cs_cli_argv_free(struct cs_cli_argv *list);

/* Pushes an array of strings. */
#define CS_CLI_ARGV_PUSH_ALL(list, words) cs_cli_argv_push_all(list, words, sizeof(words) / sizeof *(words))

/* Returns a malloc'ed string, never NULL. */
char *cs_cli_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
