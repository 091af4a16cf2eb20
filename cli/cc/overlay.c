/* overlay.c: writes the texts that clang reads in place of source files, and the overlay that names them. */
#include "cli/cc/overlay.h"
#include "cli/base/message.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_text(const char *path) {
  FILE *in = fopen(path, "r");
  char *text = NULL;
  size_t room = 0;
  ssize_t length = in ? getdelim(&text, &room, 0, in) : -1;
  if (in)
    fclose(in);
  if (length < 0) {
    free(text);
    return NULL;
  }
  return text;
}

static int write_text(const char *path, const char *text) {
  FILE *out = fopen(path, "w");
  int bad = !out || fputs(text, out) < 0;
  if (out && fclose(out) != 0)
    bad = 1;
  return bad ? (cs_cli_fail("cannot write %s: %s.", path, strerror(errno)), -1) : 0;
}

/* A path as a string of YAML: single quotes are doubled. */
static void print_quoted(FILE *out, const char *path) {
  putc('\'', out);
  for (; *path; path++) {
    if (*path == '\'')
      putc('\'', out);
    putc(*path, out);
  }
  putc('\'', out);
}

static int write_overlay(const struct cs_cli_overlay *o) {
  FILE *out = fopen(o->path, "w");
  if (!out)
    return cs_cli_fail("cannot write %s: %s.", o->path, strerror(errno)), -1;
  fputs("version: 0\nuse-external-names: false\nroots:\n", out);
  for (size_t i = 0; i < o->files.count; i++) {
    fputs("  - {name: ", out);
    print_quoted(out, o->files.items[i]);
    fputs(", type: file, external-contents: ", out);
    print_quoted(out, o->copies.items[i]);
    fputs("}\n", out);
  }
  return fclose(out) ? (cs_cli_fail("cannot write %s: %s.", o->path, strerror(errno)), -1) : 0;
}

static const char *copy_of(const struct cs_cli_overlay *o, const char *file) {
  for (size_t i = 0; i < o->files.count; i++)
    if (!strcmp(o->files.items[i], file))
      return o->copies.items[i];
  return NULL;
}

int cs_cli_overlay_replace(struct cs_cli_overlay *overlay, const char *temp, const char *file, const char *text) {
  const char *copy = copy_of(overlay, file);
  if (copy)
    return write_text(copy, text);
  if (!overlay->path)
    overlay->path = cs_cli_format("%s/overlay.yaml", temp);
  cs_cli_argv_push(&overlay->files, file);
  cs_cli_argv_pushf(&overlay->copies, "%s/overlay-%zu.cu", temp, overlay->copies.count);
  return write_text(overlay->copies.items[overlay->copies.count - 1], text) ? -1 : write_overlay(overlay);
}

char *cs_cli_overlay_text(const struct cs_cli_overlay *overlay, const char *file) {
  const char *copy = copy_of(overlay, file);
  return read_text(copy ? copy : file);
}
