/* process.h: running other programs. */
#ifndef CUSAFE_CLI_BASE_PROCESS_H
#define CUSAFE_CLI_BASE_PROCESS_H

#include <stddef.h>

/* At the start of the command: with SIGCHLD ignored, as a caller may leave it, neither this command nor those that it
 * starts could wait for children. */
void cs_cli_prepare(void);
/* Before the command becomes the user's program, which inherits what the caller has set. */
void cs_cli_unprepare(void);
/* Opens those of the standard streams that are closed: messages must not end in the next file that is opened. */
void cs_cli_open_streams(void);

/* Runs argv[0] with argv and waits. Returns its exit status, 128 + the signal that ended it, or 127 with a message if
 * it cannot be executed. With `verbose`, prints the command first. Only the child receives an interrupt from the
 * keyboard, so the caller can still clean up. */
int cs_cli_run(char **argv, int verbose);

/* As cs_cli_run; on a terminal, shows `what` as the current step if it takes two seconds or longer. With `messages`,
 * what the program writes to stderr is returned there, malloc'ed, and not printed. */
int cs_cli_run_shown(char **argv, int verbose, const char *what, char **messages);

/* As cs_cli_run, but captures stdout and stderr in `text`, terminated by 0 and truncated to `room`. */
int cs_cli_capture(char **argv, char *text, size_t room);

/* Prints a command to stderr, quoted for a shell. */
void cs_cli_show(char **argv);

#endif
