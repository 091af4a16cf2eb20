/* build.h: one invocation of `cusafe cc`: what its steps share, and how a step runs. */
#ifndef CUSAFE_CLI_CC_BUILD_H
#define CUSAFE_CLI_CC_BUILD_H

#include "cli/base/paths.h"
#include "cli/cc/args.h"
#include "cli/cc/overlay.h"

/* The steps only read it. */
struct cs_cli_build {
  struct cs_cli_cc cc;
  struct cs_cli_paths paths;
  char clang[PATH_MAX], toolkit[PATH_MAX];
  const char *program; /* argv[0] */
  const char *temp;
  struct cs_cli_overlay *overlay; /* grows as steps find what clang rejects; NULL in `cusafe lift` */
};

/* A translation unit whose device code the passes process later. */
struct cs_cli_unit {
  const char *id; /* separate compilation: both sides mangle it into the names of statics; NULL for a whole program */
};

/* Runs the command, or with --dryrun only prints it, and frees it. Returns its exit status. */
int cs_cli_step(const struct cs_cli_build *b, struct cs_cli_argv *command);

/* The same, and returns what it printed to stderr in `messages`, malloc'ed, without printing it. */
int cs_cli_step_quietly(const struct cs_cli_build *b, struct cs_cli_argv *command, char **messages);

/* The device runtime for the build's metadata placement, relative to lib/cusafe. */
const char *cs_cli_runtime_name(const struct cs_cli_build *b);

/* The architecture as which clang compiles device code for the CPU device. */
const char *cs_cli_cpu_arch(const struct cs_cli_build *b);

#endif
