/* command.h: what a subcommand of `cusafe` is, and how it speaks. */
#ifndef CUSAFE_CLI_COMMAND_H
#define CUSAFE_CLI_COMMAND_H

/* argv[0] is the subcommand's name. The result is the exit status. */
#define CS_CLI_COMMAND(name, summary) int cs_cli_command_##name(int argc, char **argv);
#include "cli/commands.inc"

/* Prints "cusafe: <one sentence>" to stderr. Always returns 1, the exit status of a failure. */
int cs_cli_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
