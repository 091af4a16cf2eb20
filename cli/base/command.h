/* command.h: the entry points of the subcommands. */
#ifndef CUSAFE_CLI_BASE_COMMAND_H
#define CUSAFE_CLI_BASE_COMMAND_H

/* argv[0] is the subcommand's name. The result is the exit status. */
#define CS_CLI_COMMAND(name, summary) int cs_cli_command_##name(int argc, char **argv);
#include "cli/base/commands.inc"

#endif
