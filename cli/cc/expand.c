/* expand.c: collects the arguments of `cusafe cc` from the environment, the command line and response files. */
#include "cli/cc/expand.h"
#include "cli/base/message.h"
#include "cli/cc/args.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Blanks separate words; quotes protect blanks, and a backslash protects the next character. */
static const char *next_word(const char *text, char *word) {
  char quote = 0;
  size_t n = 0;
  text += strspn(text, " \t\r\n");
  if (!*text)
    return NULL;
  for (; *text && (quote || !strchr(" \t\r\n", *text)); text++) {
    if (quote ? *text == quote : *text == '"' || *text == '\'')
      quote = quote ? 0 : *text;
    else if (*text == '\\' && text[1] && quote != '\'')
      word[n++] = *++text;
    else
      word[n++] = *text;
  }
  word[n] = 0;
  return text;
}

static void push_words(const char *text, struct cs_cli_argv *to) {
  char *word = cs_cli_format("%s", text); /* large enough for any of its words */
  while ((text = next_word(text, word)))
    cs_cli_argv_push(to, word);
  free(word);
}

enum { MAX_DEPTH = 16 }; /* of nested response files */

static int push_argument(const char *text, int depth, struct cs_cli_argv *to);

static char *read_text(const char *path) {
  char *text = NULL;
  size_t length = 0, room = 0;
  FILE *in = fopen(path, "r");
  if (!in)
    return NULL;
  do {
    room = room ? 2 * room : 4096;
    char *grown = realloc(text, room);
    if (!grown)
      break;
    text = grown;
    length += fread(text + length, 1, room - length - 1, in);
    text[length] = 0;
  } while (length + 1 == room);
  fclose(in);
  return text;
}

static int push_file(const char *path, int depth, struct cs_cli_argv *to) { // NOLINT(misc-no-recursion): MAX_DEPTH
  char *text = read_text(path);
  struct cs_cli_argv words = {0};
  int bad = text ? 0 : (cs_cli_fail("cannot read the response file %s: %s.", path, strerror(errno)), -1);
  if (depth > MAX_DEPTH)
    bad = (cs_cli_fail("the response file %s includes itself.", path), -1);
  if (!bad)
    push_words(text, &words);
  for (size_t i = 0; i < words.count && !bad; i++)
    bad = push_argument(words.items[i], depth + 1, to);
  cs_cli_argv_free(&words);
  free(text);
  return bad;
}

/* "@file", nvcc's "--options-file=file" and its short form; their value may be a list of files. */
static int push_argument(const char *text, int depth, struct cs_cli_argv *to) { // NOLINT(misc-no-recursion): MAX_DEPTH
  static const char *const names[] = {"@", "--options-file=", "-optf="};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strncmp(text, names[i], strlen(names[i]))) {
      char *list = cs_cli_format("%s", text + strlen(names[i])), *rest = list;
      int bad = 0;
      for (char *path; !bad && (path = strsep(&rest, ","));)
        bad = push_file(path, depth, to);
      free(list);
      return bad;
    }
  cs_cli_argv_push(to, text);
  return 0;
}

static int takes_file(const char *text) {
  return !strcmp(text, "--options-file") || !strcmp(text, "-optf");
}

static int push_arguments(int argc, char **argv, struct cs_cli_argv *to) {
  int bad = 0;
  for (int i = 1; i < argc && !bad; i++)
    if (takes_file(argv[i]) && i + 1 < argc)
      bad = push_file(argv[++i], 0, to);
    else
      bad = push_argument(argv[i], 0, to);
  return bad;
}

static int write_log(const struct cs_cli_argv *command) {
  const char *path = getenv("CUSAFE_CC_LOG");
  if (!path || !*path)
    return 0;
  FILE *out = fopen(path, "a");
  if (!out)
    return cs_cli_fail("CUSAFE_CC_LOG: cannot write %s: %s.", path, strerror(errno)), -1;
  for (size_t i = 0; i < command->count; i++)
    fprintf(out, "%s%s", command->items[i], i + 1 < command->count ? " " : "\n");
  fclose(out);
  return 0;
}

static void push_variable(const char *name, struct cs_cli_argv *to) {
  const char *flags = getenv(name);
  if (flags)
    push_words(flags, to);
}

/* nvcc's flags are not those of another linker. */
static int is_for_nvcc(const struct cs_cli_argv *arguments) {
  for (size_t i = 0; i < arguments->count; i++)
    if (!strcmp(arguments->items[i], CS_CLI_LINK_WITH))
      return 0;
  return 1;
}

int cs_cli_cc_expand(int argc, char **argv, struct cs_cli_argv *to) {
  cs_cli_argv_push(to, argv[0]);
  push_variable("CUSAFE_CC_FLAGS", to);
  push_variable("NVCC_PREPEND_FLAGS", to);
  if (push_arguments(argc, argv, to))
    return -1;
  if (is_for_nvcc(to))
    push_variable("NVCC_APPEND_FLAGS", to);
  return write_log(to);
}
