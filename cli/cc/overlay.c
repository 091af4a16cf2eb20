/* overlay.c: writes the texts that clang reads in place of source files, and the overlay that names them. */
#include "cli/cc/overlay.h"
#include "cli/base/message.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static void print_entries(FILE *out, const struct cs_cli_argv *names, const struct cs_cli_argv *texts) {
  for (size_t i = 0; i < names->count; i++) {
    fputs("  - {name: ", out);
    print_quoted(out, names->items[i]);
    fputs(", type: file, external-contents: ", out);
    print_quoted(out, texts->items[i]);
    fputs("}\n", out);
  }
}

static int write_overlay(const struct cs_cli_overlay *o) {
  FILE *out = fopen(o->path, "w");
  if (!out)
    return cs_cli_fail("cannot write %s: %s.", o->path, strerror(errno)), -1;
  fputs("version: 0\nuse-external-names: false\nroots:\n", out);
  print_entries(out, &o->files, &o->copies);
  print_entries(out, &o->names, &o->named);
  return fclose(out) ? (cs_cli_fail("cannot write %s: %s.", o->path, strerror(errno)), -1) : 0;
}

static const char *find(const struct cs_cli_argv *names, const struct cs_cli_argv *texts, const char *name) {
  for (size_t i = 0; i < names->count; i++)
    if (!strcmp(names->items[i], name))
      return texts->items[i];
  return NULL;
}

static const char *copy_of(const struct cs_cli_overlay *o, const char *file) {
  return find(&o->files, &o->copies, file);
}

/* Absolute, but with the links in it. */
static char *absolute(const char *path) {
  char folder[PATH_MAX];
  return cs_cli_format("%s%s%s", *path != '/' && getcwd(folder, sizeof folder) ? folder : "", *path == '/' ? "" : "/",
                       path);
}

int cs_cli_overlay_name(struct cs_cli_overlay *overlay, const char *file, const char *path) {
  const char *copy = copy_of(overlay, file);
  char *name = copy ? absolute(path) : NULL;
  int is_known = !copy || copy_of(overlay, name) || find(&overlay->names, &overlay->named, name);
  if (!is_known)
    cs_cli_argv_push(&overlay->names, name);
  free(name);
  if (is_known)
    return 0;
  cs_cli_argv_push(&overlay->named, copy);
  return write_overlay(overlay) ? -1 : 1;
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
