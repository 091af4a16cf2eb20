/* bugs.h: programs with one bug, and their twins without it (bugs.inc). Each runs under `cusafe run`, in its own
 * process. */
#ifndef CUSAFE_CLI_SELFTEST_BUGS_H
#define CUSAFE_CLI_SELFTEST_BUGS_H

/* Whether there is one with this name; it runs with its bug, or as its twin. */
int cs_cli_bug_run(const char *name, int has_bug);

#endif
