/* device.h: the device side, from a source to an image. */
#ifndef CUSAFE_CLI_CC_DEVICE_H
#define CUSAFE_CLI_CC_DEVICE_H

#include "cli/cc/build.h"

/* IR is bitcode as text. */
enum cs_cli_form { CS_CLI_FORM_BITCODE, CS_CLI_FORM_IR, CS_CLI_FORM_PTX };

/* Compiles one source. With a unit, clang writes unoptimised bitcode, and cs_cli_compile_units runs the passes
 * later. */
int cs_cli_compile_device(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit,
                          const char *arch, enum cs_cli_form form, const char *output);

/* Links the units' bitcode, runs the passes over the whole, and writes bitcode, or PTX whose kernels are limited to the
 * registers that they use without checks. */
int cs_cli_compile_units(const struct cs_cli_build *b, const struct cs_cli_argv *bitcodes, const char *arch,
                         enum cs_cli_form form, const char *output);

/* The plugin without checks. Of the host side it changes the order in which kernels are registered
 * (pass/plugin.cpp). */
void cs_cli_push_bare_pass(struct cs_cli_argv *to, const struct cs_cli_build *b);

int cs_cli_assemble(const struct cs_cli_build *b, const char *arch, const char *ptx, const char *cubin);

/* Builds the image for the CPU device, or a fat binary of all architectures. `make` writes the bitcode or PTX of one
 * architecture; `what` is its argument. */
typedef int cs_cli_make_device(const struct cs_cli_build *b, const void *what, const char *arch, enum cs_cli_form form,
                               const char *output);
int cs_cli_make_image(const struct cs_cli_build *b, cs_cli_make_device *make, const void *what, const char *stem,
                      const char *image);

#endif
