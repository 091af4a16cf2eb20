/* limited.h: runs a program in its own process group, under a time limit. */
#ifndef CUSAFE_CLI_BASE_LIMITED_H
#define CUSAFE_CLI_BASE_LIMITED_H

#define CS_CLI_TIMED_OUT (-1)
#define CS_CLI_TOO_MUCH_OUTPUT (-2) /* more than 1 GiB */
#define CS_CLI_NOT_STARTED 127

struct cs_cli_limited {
  char **argv;
  const char *folder;       /* its working folder */
  const char *log;          /* its stdout and stderr are appended to this file */
  char *const *environment; /* NAME=VALUE to add, terminated by NULL */
  double seconds;           /* after this time the whole group is killed */
};

/* Waits for the program to end, and kills what remains of its group. Returns its exit status, 128 + the signal that
 * ended it, CS_CLI_TIMED_OUT or CS_CLI_TOO_MUCH_OUTPUT. If the caller receives SIGINT or SIGTERM, it kills the group
 * and exits. */
int cs_cli_run_limited(const struct cs_cli_limited *what, double *took);

/* A clock that only differences are taken of. */
double cs_cli_seconds(void);

#endif
