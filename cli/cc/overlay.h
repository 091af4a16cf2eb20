/* overlay.h: the texts that clang reads in place of source files. */
#ifndef CUSAFE_CLI_CC_OVERLAY_H
#define CUSAFE_CLI_CC_OVERLAY_H

#include "cli/base/argv.h"

/* A file system overlay shows each text under its file's own name, so that messages, reports, includes and dependency
 * files are those of the file. */
struct cs_cli_overlay {
  char *path;                       /* clang's -ivfsoverlay; NULL: no file is replaced */
  struct cs_cli_argv files, copies; /* real paths, and the files with their texts */
  struct cs_cli_argv names, named;  /* other paths of these files, and the files with their texts */
};

/* Replaces the text of a file, which it names by its real path. 0, or -1 with a message. */
int cs_cli_overlay_replace(struct cs_cli_overlay *overlay, const char *temp, const char *file, const char *text);

/* clang opens a replaced file, which is named by its real path, by this path as well: through a link. 1 if that is new,
 * 0 if it is known or the file is not replaced, or -1 with a message. */
int cs_cli_overlay_name(struct cs_cli_overlay *overlay, const char *file, const char *path);

/* The text that clang reads for the file: malloc'ed, or NULL if it cannot be read. */
char *cs_cli_overlay_text(const struct cs_cli_overlay *overlay, const char *file);

#endif
