/* launches.h: launches whose <<< or >>> contains blanks, which nvcc accepts and clang does not. */
#ifndef CUSAFE_CLI_CC_LAUNCHES_H
#define CUSAFE_CLI_CC_LAUNCHES_H

#include "cli/cc/build.h"

/* Joins the brackets of each such launch in the text, without moving another character. Returns how many there were. */
int cs_cli_launches_join(char *text);

/* Replaces the texts of the sources that have such launches, and of the headers that they include from their folder. 0,
 * or -1 with a message. */
int cs_cli_launches_prepare(const struct cs_cli_build *b);

#endif
