/* shared_objects.h: shared variables with a constructor, which nvcc accepts and clang rejects. */
#ifndef CUSAFE_CLI_CC_SHARED_OBJECTS_H
#define CUSAFE_CLI_CC_SHARED_OBJECTS_H

#include "cli/cc/build.h"

/* The text in which no variable of the declaration at `line` and `column`, both from 1, has a constructor: malloc'ed.
 * NULL if no `__shared__ TYPE NAME[4], OTHER;` is there. All lines keep their numbers. */
char *cs_cli_shared_objects_wrap(const char *text, size_t line, size_t column);

/* Replaces the texts of the files whose shared variables clang's messages reject. Returns how many declarations
 * differ. */
int cs_cli_shared_objects_repair(const struct cs_cli_build *b, const char *messages);

#endif
