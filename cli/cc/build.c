/* build.c: runs the steps of `cusafe cc`. */
#include "cli/cc/build.h"
#include "cli/base/process.h"
#include <stdlib.h>
#include <string.h>

/* The step as a terminal shows it to a waiting user. */
static char *describe(const struct cs_cli_argv *command) {
  const char *source = command->items[command->count > 2 ? command->count - 3 : 0], *program = command->items[0];
  for (size_t i = 1; i < command->count; i++) {
    if (!strcmp(command->items[i], "--cuda-device-only"))
      return cs_cli_format("compiling the device code of %s", cs_cli_file_name(source));
    if (!strcmp(command->items[i], "--cuda-host-only") || !strcmp(command->items[i], "-c"))
      return cs_cli_format("compiling %s", cs_cli_file_name(source));
  }
  if (!strcmp(cs_cli_file_name(program), "cusafe-lift"))
    return cs_cli_format("lifting %s", cs_cli_file_name(source));
  if (!strcmp(cs_cli_file_name(program), "cusafe-retarget"))
    return cs_cli_format("translating device code for the CPU");
  return cs_cli_format("running %s", cs_cli_file_name(program));
}

int cs_cli_step_quietly(const struct cs_cli_build *b, struct cs_cli_argv *command, char **messages) {
  int status = 0;
  if (b->cc.dry_run) {
    cs_cli_show(command->items);
  } else {
    char *what = b->cc.verbose ? NULL : describe(command);
    status = cs_cli_run_shown(command->items, b->cc.verbose, what, messages);
    free(what);
  }
  cs_cli_argv_free(command);
  return status;
}

int cs_cli_step(const struct cs_cli_build *b, struct cs_cli_argv *command) {
  return cs_cli_step_quietly(b, command, NULL);
}

const char *cs_cli_runtime_name(const struct cs_cli_build *b) {
  return b->cc.window ? "device/check-window.bc" : "device/check-table.bc";
}

const char *cs_cli_cpu_arch(const struct cs_cli_build *b) {
  return b->cc.cpu_arch ? b->cc.cpu_arch : "sm_80";
}
