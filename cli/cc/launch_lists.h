/* launch_lists.h: braced lists in the configuration of a launch, which nvcc accepts and clang rejects. */
#ifndef CUSAFE_CLI_CC_LAUNCH_LISTS_H
#define CUSAFE_CLI_CC_LAUNCH_LISTS_H

#include <stddef.h>

/* The text in which the list at the offset `at`, an argument between <<< and >>>, is a dim3: malloc'ed. NULL if there
 * is none. */
char *cs_cli_launch_lists_name(const char *text, size_t at);

#endif
