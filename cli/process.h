/* process.h: running other programs. */
#ifndef CUSAFE_CLI_PROCESS_H
#define CUSAFE_CLI_PROCESS_H

#include <stddef.h>

/* Runs argv[0] with argv and waits. Returns its exit status, 128 + the signal that ended it, or 127 with a message if it
 * cannot be executed. With `verbose` the command is shown first. An interrupt from the keyboard reaches only the child, so
 * that the caller can still clean up. */
int cs_cli_run(char **argv, int verbose);

/* The same; a terminal shows `what` is being done, from the third second on. */
int cs_cli_run_shown(char **argv, int verbose, const char *what);

/* The same, quietly: what it writes to stdout and stderr goes to text (ended by 0, the rest is dropped).
 * `environment` is NAME=VALUE to add, or NULL. */
int cs_cli_capture(char **argv, const char *environment, char *text, size_t room);

/* Writes a command to stderr, quoted where a shell would want it. */
void cs_cli_show(char **argv);

#endif
