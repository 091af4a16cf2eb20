/* program.h: the CUDA code in a program or library. */
#ifndef CUSAFE_CLI_PROGRAM_H
#define CUSAFE_CLI_PROGRAM_H

#include <stddef.h>

enum cs_cli_runtime { CS_CLI_RUNTIME_NONE, CS_CLI_RUNTIME_SHARED, CS_CLI_RUNTIME_STATIC };
enum { CS_CLI_ARCHS_MAX = 64, CS_CLI_SONAME_MAX = 64 };

struct cs_cli_archs { /* ascending, each once */
  unsigned items[CS_CLI_ARCHS_MAX];
  size_t count;
};

struct cs_cli_program {
  enum cs_cli_runtime runtime;
  char soname[CS_CLI_SONAME_MAX];        /* of the shared runtime; "" if another library provides it */
  struct cs_cli_archs ptx, machine_code; /* what the fat binaries have */
  size_t modules;                        /* fat binaries */
  size_t without_ptx;                    /* fat binaries that have machine code only */
  size_t images;                         /* device images of `cusafe cc --device=cpu` */
  size_t checked;                        /* modules and images that CuSafe has instrumented */
  int has_lines;                         /* PTX has line information */
  int malformed;                         /* a fat binary could not be read to its end */
  int has_large_tls;                     /* linked with a sanitizer that has more thread-local memory than the dynamic
                                            linker reserves where there is an auditor */
};

/* 0, or -1 if it is no 64-bit ELF file: then all of *program is 0. */
int cs_cli_program_inspect(struct cs_cli_program *program, const char *path);

#endif
