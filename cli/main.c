/* main.c: the entry point of `cusafe`: selects the subcommand. */
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "cli/base/process.h"
#include "options/nearest.h"
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} commands[] = {
#define CS_CLI_COMMAND(name, summary) {#name, summary, cs_cli_command_##name},
#include "cli/base/commands.inc"
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static int usage(FILE *out, int status) {
  fputs("usage: cusafe COMMAND [ARGUMENTS]\n\nCuSafe finds memory errors in CUDA programs, with or without a GPU.\n\n",
        out);
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    fprintf(out, "  cusafe %-10s %s\n", commands[i].name, commands[i].summary);
  fputs("\nSee `cusafe COMMAND --help` for the options of a command. To get started:\n"
        "  cusafe cc first_bug.cu -o first_bug && cusafe run ./first_bug\n",
        out);
  return status;
}

int main(int argc, char **argv) {
  cs_cli_prepare();
  if (argc < 2 || strcmp(argv[1], "run") != 0) /* the user's program has the streams that it is given */
    cs_cli_open_streams();
  if (argc > 0 && cs_cli_is_nvcc(argv[0]))
    return cs_cli_command_cc(argc, argv);
  if (argc < 2)
    return usage(stderr, 2);
  const char *name = argv[1];
  if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
    return usage(stdout, 0);
  if (!strcmp(name, "--version")) {
    printf("cusafe %s\n", CUSAFE_VERSION);
    return 0;
  }
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    if (!strcmp(name, commands[i].name))
      return commands[i].run(argc - 1, argv + 1);
  const char *names[COMMAND_COUNT], *near;
  for (size_t i = 0; i < COMMAND_COUNT; i++)
    names[i] = commands[i].name;
  near = cs_options_nearest(name, names, COMMAND_COUNT);
  if (near)
    cs_cli_fail("there is no command '%s'; did you mean '%s'? See `cusafe --help`.", name, near);
  else
    cs_cli_fail("there is no command '%s'; see `cusafe --help`.", name);
  return 2;
}
