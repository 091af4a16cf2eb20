/* limited.h: running a program in a process group of its own, under a time limit. */
#ifndef CUSAFE_CLI_LIMITED_H
#define CUSAFE_CLI_LIMITED_H

#define CS_CLI_TIMED_OUT (-1)
#define CS_CLI_TOO_MUCH_OUTPUT (-2) /* more than 1 GiB */
#define CS_CLI_NOT_STARTED 127

struct cs_cli_limited {
  char **argv;
  const char *folder;       /* where it runs */
  const char *log;          /* what it writes to stdout and stderr is appended here */
  char *const *environment; /* NAME=VALUE to add, ended by NULL */
  double seconds;           /* after which the whole group is killed */
};

/* Waits for the end. Returns the exit status, 128 + the signal that ended it, or CS_CLI_TIMED_OUT or
 * CS_CLI_TOO_MUCH_OUTPUT. Whatever the program has left
 * running in its group is killed as well. A caller that is told to stop (SIGINT, SIGTERM) takes the group with it. */
int cs_cli_run_limited(const struct cs_cli_limited *what, double *took);

#endif
