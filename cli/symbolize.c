/* symbolize.c: `cusafe symbolize`: names and lines for findings whose run had no debug data. */
#include "cli/base/argv.h"
#include "cli/base/command.h"
#include "cli/base/paths.h"
#include "cli/base/process.h"
#include <stdio.h>
#include <string.h>

static int usage(FILE *out, int status) {
  fputs("usage: cusafe symbolize FILE...\n"
        "\n"
        "Reads findings from files that the option json= names, - for standard input, and prints them with\n"
        "the functions, lines, fingerprints and groups that a run with symbolize=1 and the programs' debug\n"
        "data gives them: for runs with symbolize=0, and of stripped programs. Programs and libraries are\n"
        "found by their paths and build identifiers, debug files in folders .build-id of /usr/lib/debug and\n"
        "on the debuginfod servers that the environment variable DEBUGINFOD_URLS names.\n"
        "\n"
        "  CUSAFE_OPTIONS=symbolize=0:json=findings.json ./program\n"
        "  cusafe symbolize findings.json | cusafe findings merge -\n"
        "\n"
        "  --help  print this help\n",
        out);
  return status;
}

int cs_cli_command_symbolize(int argc, char **argv) {
  static struct cs_cli_paths paths;
  struct cs_cli_argv command = {0};
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0))
    return usage(stdout, 0);
  if (argc < 2 || (*argv[1] == '-' && argv[1][1]))
    return usage(stderr, 2);
  if (cs_cli_paths_find(&paths))
    return 1;
  cs_cli_argv_pushf(&command, "%s/cusafe-symbolize", paths.private);
  for (int i = 1; i < argc; i++)
    cs_cli_argv_push(&command, argv[i]);
  int status = cs_cli_run(command.items, 0);
  cs_cli_argv_free(&command);
  return status;
}
