/* cc_build.h: what the steps of `cusafe cc` share. */
#ifndef CUSAFE_CLI_CC_BUILD_H
#define CUSAFE_CLI_CC_BUILD_H

#include "cli/cc_args.h"
#include "cli/paths.h"

/* All that the steps need to know. They only read it. */
struct cs_cli_build {
  struct cs_cli_cc cc;
  struct cs_cli_paths paths;
  char clang[PATH_MAX], toolkit[PATH_MAX];
  const char *program; /* argv[0] */
  const char *temp;
};

/* Shows the command if asked to, runs it unless only showing was wanted, and frees it. Returns its exit status. */
int cs_cli_step(const struct cs_cli_build *b, struct cs_cli_argv *command);

void cs_cli_push_all(struct cs_cli_argv *to, const char *const *words, size_t count);
#define CS_CLI_PUSH_ALL(to, words) cs_cli_push_all(to, words, sizeof(words) / sizeof *(words))

/* The runtime of the checks for the metadata's place, below lib/cusafe. */
const char *cs_cli_runtime_name(const struct cs_cli_build *b);

/* cc_device.c: the device side. */
enum cs_cli_form { CS_CLI_FORM_BITCODE, CS_CLI_FORM_PTX };

/* Device code to which the passes come later, and for separate compilation, the name that both sides give to what is static in
 * this file. */
struct cs_cli_unit {
  const char *id; /* NULL for a whole program */
};
int cs_cli_compile_device(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit,
                          const char *arch, enum cs_cli_form form, const char *output);
/* The passes over the bitcode of all units together, which is PTX limited to the registers that the kernels take without checks,
 * or bitcode again. */
int cs_cli_compile_units(const struct cs_cli_build *b, const struct cs_cli_argv *bitcodes, const char *arch,
                         enum cs_cli_form form, const char *output);
/* cc_registers.c: runs `compile`, which makes the PTX file without checks, and writes what its kernels take to a file beside it,
 * whose name is returned; NULL when that cannot be known. */
char *cs_cli_bare_registers(const struct cs_cli_build *b, struct cs_cli_argv *compile, const char *arch,
                            const char *ptx);
int cs_cli_retarget(const struct cs_cli_build *b, const char *bitcode, const char *image);
int cs_cli_assemble(const struct cs_cli_build *b, const char *arch, const char *ptx, const char *cubin);

/* One container of a device image for every architecture. `make` makes the bitcode's or the PTX's file for one. */
typedef int cs_cli_make_device(const struct cs_cli_build *b, const void *what, const char *arch, enum cs_cli_form form,
                               const char *output);
int cs_cli_make_image(const struct cs_cli_build *b, cs_cli_make_device *make, const void *what, const char *stem,
                      const char *image);
const char *cs_cli_cpu_arch(const struct cs_cli_build *b);

/* cc_host.c: the host side. */
void cs_cli_push_cuda(struct cs_cli_argv *to, const struct cs_cli_build *b);
void cs_cli_push_headers(struct cs_cli_argv *to, const struct cs_cli_build *b, enum cs_cli_language language);
void cs_cli_push_common(struct cs_cli_argv *to, const struct cs_cli_build *b);
void cs_cli_push_architectures(struct cs_cli_argv *to, const struct cs_cli_build *b);
/* With the image in it unless that is NULL, or with the unit's device code. output may be NULL for -E and the like. */
int cs_cli_compile_host(const struct cs_cli_build *b, const char *source, const char *image, const char *output);
int cs_cli_compile_host_unit(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit,
                             const char *parcel, const char *output);
int cs_cli_compile_plain(const struct cs_cli_build *b, const struct cs_cli_cc_source *source, const char *output);

/* cc_units.c: separate compilation. An object carries its device code; the link gathers it. */
int cs_cli_compile_unit(const struct cs_cli_build *b, const char *source, size_t number, const char *output);
/* Makes the object that registers all device code of the objects and archives in `inputs` and, if there is any, appends its
 * name to `objects`. */
int cs_cli_link_units(const struct cs_cli_build *b, const struct cs_cli_argv *inputs, struct cs_cli_argv *objects);

/* cc_statics.c: called on a unit's bitcode before it is packed. */
int cs_cli_mend_statics(const struct cs_cli_build *b, const char *bitcode);

/* cc_link.c */
int cs_cli_link_program(const struct cs_cli_build *b, const struct cs_cli_argv *objects);
int cs_cli_link_library(const struct cs_cli_build *b, const struct cs_cli_argv *objects); /* nvcc -lib */
int cs_cli_link_device(const struct cs_cli_build *b, const struct cs_cli_argv *objects);  /* nvcc -dlink */

/* cc_explain.c: with CUSAFE_CC_EXPLAIN, says after a failure whether clang itself accepts the source. NULL stands for all of
 * them, which it has accepted. */
void cs_cli_explain(const struct cs_cli_build *b, const struct cs_cli_cc_source *source);

#endif
