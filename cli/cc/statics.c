/* statics.c: fixes clang's names of static device variables that the host uses, in separate compilation. clang gives
 * such a variable a unique name, but code before the host's use still refers to the old name, as an external
 * variable. */
#include "cli/cc/statics.h"
#include "cli/base/message.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char infix[] = "__static__";

static char *read_all(const char *path, size_t *size) {
  char *text = NULL;
  FILE *in = fopen(path, "rb");
  *size = 0;
  if (in && fseek(in, 0, SEEK_END) == 0) {
    long length = ftell(in);
    rewind(in);
    text = length >= 0 ? malloc((size_t)length + 1) : NULL;
    *size = text ? fread(text, 1, (size_t)length, in) : 0;
    if (text)
      text[*size] = 0;
  }
  if (in)
    fclose(in);
  return text;
}

static int is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || (c && strchr("_.$-", c));
}

static size_t name_length(const char *name) {
  size_t n = 0;
  while (is_name_character(name[n]))
    n++;
  return n;
}

/* The line "@NAME = external ..." of a name, or NULL. */
static char *find_external(char *text, const char *name, size_t length) {
  for (char *line = text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
    if (*line == '@' && !strncmp(line + 1, name, length) && !strncmp(line + 1 + length, " = external ", 12))
      return line;
  return NULL;
}

/* Writes the text with every "@old" replaced by "@new". The definition of the new name is a different token and
 * stays. */
static void write_renamed(FILE *out, const char *text, const char *old, size_t old_length, const char *new,
                          size_t new_length) {
  for (const char *at = text; *at;) {
    const char *found = strchr(at, '@');
    if (!found) {
      fputs(at, out);
      return;
    }
    fwrite(at, 1, (size_t)(found + 1 - at), out);
    size_t length = name_length(found + 1);
    int same = length == old_length && !strncmp(found + 1, old, length);
    fwrite(same ? new : found + 1, 1, same ? new_length : length, out);
    at = found + 1 + length;
  }
}

/* Fixes the first variable that needs it. Returns 1 if there was one; *text is then a new string. */
static int fix_one(char **text) {
  for (char *line = *text; line; line = strchr(line, '\n'), line = line ? line + 1 : NULL) {
    size_t length = *line == '@' ? name_length(line + 1) : 0;
    char *suffix = length ? memmem(line + 1, length, infix, sizeof infix - 1) : NULL;
    char *external = suffix ? find_external(*text, line + 1, (size_t)(suffix - line - 1)) : NULL;
    if (!external)
      continue;
    external[0] = ';'; /* now a comment */
    char *fixed = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&fixed, &size);
    if (!out)
      return 0;
    write_renamed(out, *text, line + 1, (size_t)(suffix - line - 1), line + 1, length);
    if (fclose(out) != 0 || !fixed)
      return 0;
    free(*text);
    *text = fixed;
    return 1;
  }
  return 0;
}

/* Converts bitcode to text or back, without running passes. */
static int convert(const struct cs_cli_build *b, const char *from, const char *flag, const char *to) {
  struct cs_cli_argv command = {0};
  const char *const words[] = {b->clang,
                               "-x",
                               "ir",
                               "--target=nvptx64-nvidia-cuda",
                               "-nogpulib",
                               "-Qunused-arguments",
                               "-Wno-override-module",
                               "-Xclang",
                               "-disable-llvm-passes",
                               "-emit-llvm",
                               flag,
                               from,
                               "-o",
                               to};
  CS_CLI_ARGV_PUSH_ALL(&command, words);
  return cs_cli_step(b, &command);
}

static int write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  int bad = !out || fputs(text, out) < 0;
  if (out && fclose(out) != 0)
    bad = 1;
  return bad ? cs_cli_fail("cannot write %s: %s.", path, strerror(errno)) : 0;
}

int cs_cli_fix_statics(const struct cs_cli_build *b, const char *bitcode) {
  size_t size;
  char *code = read_all(bitcode, &size);
  int needed = code && memmem(code, size, infix, sizeof infix - 1); /* bitcode stores names as plain bytes */
  free(code);
  if (!needed)
    return 0;
  char *path = cs_cli_format("%s.ll", bitcode);
  int status = convert(b, bitcode, "-S", path), fixed = 0;
  char *text = status == 0 ? read_all(path, &size) : NULL;
  while (text && fix_one(&text))
    fixed++;
  if (fixed)
    status = write_text(path, text) || convert(b, path, "-c", bitcode);
  free(text);
  free(path);
  return status;
}
