/* cache.c: `cusafe cache fill`: fills a shared cache of compiled modules with those of a program. */
#include "cli/base/argv.h"
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "cli/base/process.h"
#include "jit/trust.h"
#include "report/print.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: cusafe cache fill [OPTIONS of `cusafe run`] PROGRAM [ARGUMENTS]\n\n"
    "Runs a program, and keeps the modules that it compiles in the folder that the environment variable\n"
    "CUSAFE_CACHE_SHARED names. Programs that run with the same variable, as any user, read the modules\n"
    "there in place of compiling them, if root or their user owns the folder, all folders above it and\n"
    "the files, and no other user can write to them. They write their own modules to their own cache.\n\n"
    "  CUSAFE_CACHE_SHARED=/var/cache/cusafe cusafe cache fill ./program\n\n"
    "The exit status is that of `cusafe run`.\n\n"
    "  --help  print this help\n";

/* Modules in the folder, which is closed; -1 without one. */
static int count_modules(int folder) {
  int count = 0;
  DIR *list = folder < 0 ? NULL : fdopendir(folder);
  if (!list)
    return -1;
  for (struct dirent *entry; (entry = readdir(list));) {
    const char *end = strrchr(entry->d_name, '.');
    count += end && strcmp(end, ".cusafe") == 0;
  }
  closedir(list);
  return count;
}

static int fill(int argc, char **argv) {
  static struct cs_cli_paths paths;
  char why[PATH_MAX + 128], program[64], shared[PATH_MAX];
  const char *value = getenv("CUSAFE_CACHE_SHARED");
  if (!value || *value != '/' || (size_t)snprintf(shared, sizeof shared, "%s", value) >= sizeof shared)
    return cs_cli_fail("cache: set CUSAFE_CACHE_SHARED to the absolute path of the folder to fill."), 2;
  if (cs_cli_paths_find(&paths))
    return 1;
  int before = count_modules(cs_jit_open_trusted(shared, why, sizeof why));
  if (*why)
    return cs_cli_fail("cache: programs would not use CUSAFE_CACHE_SHARED: %s.", why), 1;
  setenv("CUSAFE_CACHE_FILL", "1", 1);
  char **command = calloc((size_t)argc + 3, sizeof *command);
  snprintf(program, sizeof program, "/proc/%d/exe", (int)getpid());
  command[0] = program;
  command[1] = "run";
  memcpy(command + 2, argv, (size_t)argc * sizeof *argv);
  int status = cs_cli_run(command, 0);
  free(command);
  int after = count_modules(cs_jit_open_trusted(shared, why, sizeof why));
  if (*why)
    return cs_cli_fail("cache: programs will not use CUSAFE_CACHE_SHARED: %s.", why), status ? status : 1;
  if (after < 0)
    return cs_cli_fail("cache: '%s' was not filled: it cannot be created, or the program compiled no module.", shared),
           status ? status : 1;
  cs_report_print(stderr, "cusafe: %s has %d modules, %d of them new\n", shared, after,
                  after - (before < 0 ? 0 : before));
  return status;
}

int cs_cli_command_cache(int argc, char **argv) {
  if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
    return fputs(help, stdout) < 0;
  if (argc < 2 || strcmp(argv[1], "fill"))
    return cs_cli_fail("cache: the command is `cusafe cache fill PROGRAM`; see `cusafe cache --help`."), 2;
  if (argc > 2 && (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h")))
    return fputs(help, stdout) < 0;
  if (argc < 3)
    return cs_cli_fail("cache: no program to run; see `cusafe cache --help`."), 2;
  return fill(argc - 2, argv + 2);
}
