/* cc_args.h: the command line of `cusafe cc`, understood. */
#ifndef CUSAFE_CLI_CC_ARGS_H
#define CUSAFE_CLI_CC_ARGS_H

#include "cli/argv.h"

enum cs_cli_language { CS_CLI_LANGUAGE_CUDA, CS_CLI_LANGUAGE_CXX, CS_CLI_LANGUAGE_C };

struct cs_cli_cc_source {
  const char *path; /* borrowed from the command line */
  enum cs_cli_language language;
};

/* What is made. The first is the default; PTX, CUBIN and FATBIN are the device code alone. */
enum cs_cli_make {
  CS_CLI_MAKE_PROGRAM, /* or a shared library */
  CS_CLI_MAKE_OBJECT,
  CS_CLI_MAKE_PTX,
  CS_CLI_MAKE_CUBIN,
  CS_CLI_MAKE_FATBIN,
  CS_CLI_MAKE_LIBRARY,
  CS_CLI_MAKE_DEVICE_LINK,
};

struct cs_cli_cc {
  int gpu, bare, window, statistics, count, verbose, keep, help, version, dry_run, shared;
  enum cs_cli_make make;
  int one_step;              /* -E, -S and the like: no device image, no link */
  int intermediate;          /* -cuda: what -E makes, in a file */
  int relocatable;           /* -fgpu-rdc */
  int debug, optimize;       /* some -g, some -O was given */
  int forced_language;       /* -x: an enum cs_cli_language, or -1 */
  size_t language_at;        /* how many sources came before it */
  const char *eliminate;     /* which needless checks are left away; NULL: all */
  const char *print_after;   /* a step of the pass (pass/pipeline.inc), or NULL */
  const char *stop_after;    /* the same */
  const char *ignorelist;    /* a file of what stays unchecked; NULL: none */
  const char *skip;          /* what is not checked, as a list; NULL: everything is */
  int skip_fields;           /* that list has "fields" */
  int registers;             /* the most that a kernel may take; 0: as many as it likes */
  const char *cuda_path;     /* or NULL */
  const char *output;        /* or NULL */
  const char *output_folder; /* or NULL; where files go that -o does not name */
  struct cs_cli_argv archs;  /* for a GPU, all that were asked for */
  const char *cpu_arch;      /* what device code for the CPU is compiled as; nvcc's flags do not change it */
  struct cs_cli_argv compile, host, link; /* flags; link has the objects and libraries too, in their order */
  struct cs_cli_argv device;              /* flags of the device side */
  struct cs_cli_argv gpu_compile;         /* joins compile when the device is a GPU */
  const char *unknown;                    /* the first option --x that went to clang as it is, or NULL */
  struct cs_cli_cc_source *sources;
  size_t source_count, object_count;
};

/* Returns 0, or -1 with a message. */
int cs_cli_cc_parse(struct cs_cli_cc *cc, int argc, char **argv);
void cs_cli_cc_free(struct cs_cli_cc *cc);

/* After clang has failed: says which option an unknown one may have been meant to be. */
void cs_cli_cc_suggest(const struct cs_cli_cc *cc);

#endif
