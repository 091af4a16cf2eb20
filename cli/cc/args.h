/* args.h: the parsed command line of `cusafe cc`. */
#ifndef CUSAFE_CLI_CC_ARGS_H
#define CUSAFE_CLI_CC_ARGS_H

#include "cli/base/argv.h"
#include "options/detect.h"

enum cs_cli_language { CS_CLI_LANGUAGE_CUDA, CS_CLI_LANGUAGE_CXX, CS_CLI_LANGUAGE_C };

struct cs_cli_cc_source {
  const char *path; /* borrowed from the command line */
  enum cs_cli_language language;
};

/* The output. PROGRAM is the default; PTX, CUBIN and FATBIN contain device code only. */
enum cs_cli_make {
  CS_CLI_MAKE_PROGRAM, /* or a shared library */
  CS_CLI_MAKE_OBJECT,
  CS_CLI_MAKE_PTX,
  CS_CLI_MAKE_CUBIN,
  CS_CLI_MAKE_FATBIN,
  CS_CLI_MAKE_LIBRARY,
  CS_CLI_MAKE_DEVICE_LINK,
};

/* What follows is the command line of another linker. */
#define CS_CLI_LINK_WITH "--link-with"

struct cs_cli_cc {
  int gpu, bare, window, statistics, count, sampled, part, verbose, keep, help, version, dry_run, shared;
  enum cs_cli_make make;
  int explain;               /* --explain: say why a build has failed */
  int one_step;              /* -E, -S and similar: no device image, no link */
  int asks_host;             /* -Xcompiler --version and similar: no source is compiled */
  int intermediate;          /* -cuda: the output of -E, in a file */
  int relocatable;           /* -fgpu-rdc */
  int as_clang;              /* --instead-of another compiler than nvcc: without nvcc's macros */
  int debug, optimize;       /* a -g or -O option was given */
  int forced_language;       /* -x: an enum cs_cli_language, or -1 */
  size_t language_at;        /* the number of sources before it */
  const char *eliminate;     /* redundant checks to eliminate; NULL: all */
  const char *print_after;   /* a step of the pass (pass/pipeline.inc), or NULL */
  const char *stop_after;    /* the same */
  const char *ignorelist;    /* a file that lists unchecked functions and files; NULL: none */
  const char *skip;          /* a list of checks to omit; NULL: none */
  int skip_fields;           /* the list contains "fields" */
  int registers;             /* the limit per thread; 0: none */
  const char *list;          /* --list-gpu-arch, --list-gpu-code: "compute" or "sm"; or NULL */
  const char *cuda_path;     /* or NULL */
  const char *output;        /* or NULL */
  const char *output_folder; /* for files that -o does not name; or NULL */
  const char *keep_dir;      /* where `keep` keeps them, or NULL */
  struct cs_cli_argv archs;  /* the requested GPU architectures */
  const char *cpu_arch;      /* --arch, as which code for the CPU device is compiled; nvcc's flags do not set it */
  char detect[CS_OPTIONS_DETECT_MAX];     /* what to look for besides errors of memory, as a list; "": nothing */
  struct cs_cli_argv compile, host, link; /* flags; link also has the objects and libraries, in order */
  struct cs_cli_argv device;              /* flags for the device side */
  struct cs_cli_argv gpu_compile;         /* flags for --device=gpu only; cs_cli_cc_parse appends them to `compile` */
  struct cs_cli_argv linker;              /* --link-with: another linker's command line */
  const char *unknown;                    /* the first unknown option --x, which clang gets unchanged; or NULL */
  struct cs_cli_cc_source *sources;
  size_t source_count, object_count;
};

/* Returns 0, or -1 with a message. */
int cs_cli_cc_parse(struct cs_cli_cc *cc, int argc, char **argv);
void cs_cli_cc_free(struct cs_cli_cc *cc);

/* After clang has failed: suggests an option similar to the unknown one. */
void cs_cli_cc_suggest(const struct cs_cli_cc *cc);

#endif
