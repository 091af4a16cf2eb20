/* shared_objects.h: shared variables with a constructor, which nvcc accepts and clang rejects. */
#ifndef CUSAFE_CLI_CC_SHARED_OBJECTS_H
#define CUSAFE_CLI_CC_SHARED_OBJECTS_H

#include <stddef.h>

/* The text in which no variable of the declaration around the offset `at` has a constructor: malloc'ed. NULL if no
 * `__shared__ TYPE NAME[4], OTHER;` is there. All lines keep their numbers. */
char *cs_cli_shared_objects_wrap(const char *text, size_t at);

/* The text in which the reference at the offset `at`, which the above has written, may be bypassed by jumps: malloc'ed.
 * NULL if there is no such reference. */
char *cs_cli_shared_objects_keep(const char *text, size_t at);

#endif
