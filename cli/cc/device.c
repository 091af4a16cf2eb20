/* device.c: compiles the device side, from a source to an image. */
#include "cli/cc/device.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "cli/cc/clang.h"
#include "cli/cc/registers.h"
#include "cli/cc/repair.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* -load registers the plugin's options before they are parsed; -fpass-plugin adds it to the pipeline. */
static void push_plugin(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  cs_cli_argv_pushf(to, "-fpass-plugin=%s/cusafe-pass.so", b->paths.private);
  cs_cli_argv_push(to, "-Xclang");
  cs_cli_argv_push(to, "-load");
  cs_cli_argv_push(to, "-Xclang");
  cs_cli_argv_pushf(to, "%s/cusafe-pass.so", b->paths.private);
}

static void push_pass_option(struct cs_cli_argv *to, const char *option) {
  cs_cli_argv_push(to, "-mllvm");
  cs_cli_argv_push(to, option);
}

/* -cusafe-NAME=VALUE, unless the value is NULL. */
static void push_pass_value(struct cs_cli_argv *to, const char *name, const char *value) {
  if (!value)
    return;
  cs_cli_argv_push(to, "-mllvm");
  cs_cli_argv_pushf(to, "-cusafe-%s=%s", name, value);
}

/* The plugin is loaded without checks, too: it keeps the meaning of values that only some lanes define
 * (pass/module/attributes.c). */
void cs_cli_push_bare_pass(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  push_plugin(to, b);
  push_pass_option(to, "-cusafe-bare");
}

static void push_pass(struct cs_cli_argv *to, const struct cs_cli_build *b, enum cs_cli_form form,
                      const char *registers) {
  if (b->cc.bare) {
    cs_cli_push_bare_pass(to, b);
    return;
  }
  push_plugin(to, b);
  cs_cli_argv_push(to, "-mllvm");
  cs_cli_argv_pushf(to, "-cusafe-runtime=%s/%s", b->paths.private, cs_cli_runtime_name(b));
  push_pass_value(to, "toolkit", b->toolkit);
  push_pass_value(to, "metadata", b->cc.window ? "window" : NULL);
  push_pass_value(to, "eliminate", b->cc.eliminate);
  push_pass_value(to, "ignorelist", b->cc.ignorelist);
  push_pass_value(to, "detect", *b->cc.detect ? b->cc.detect : NULL);
  push_pass_value(to, "skip", b->cc.skip);
  if (b->cc.statistics || b->cc.verbose)
    push_pass_option(to, b->cc.statistics ? "-cusafe-statistics" : "-cusafe-unknown");
  if (b->cc.count)
    push_pass_option(to, "-cusafe-count");
  if (b->cc.sampled)
    push_pass_option(to, "-cusafe-sampled");
  push_pass_value(to, "print-after", b->cc.print_after);
  push_pass_value(to, "stop-after", b->cc.stop_after);
  push_pass_value(to, "registers", registers);
  if (form == CS_CLI_FORM_PTX)
    push_pass_option(to, "-cusafe-gpu");
}

/* What the checks require from clang on the device side: the names of variables, their scopes at -O0 as well, and
 * clang's own checks of array indices, which the pass converts into CuSafe's. The driver rejects these options for
 * NVPTX, so they go to the front end directly. */
static void push_checks(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  static const char *const scopes_then_fields[] = {"-fsanitize-address-use-after-scope", "-fsanitize=array-bounds",
                                                   "-fsanitize-recover=array-bounds"};
  if (b->cc.bare) {
    cs_cli_argv_push(to, "-include"); /* nvcc declares new and delete without a header */
    cs_cli_argv_push(to, "new");
    return;
  }
  cs_cli_argv_push(to, "-fno-discard-value-names");
  cs_cli_argv_push(to,
                   "-fstrict-flex-arrays=1"); /* only a last member of length 0 or 1 may exceed its declared length */
  for (size_t i = 0; i < (b->cc.skip_fields ? 1 : sizeof scopes_then_fields / sizeof *scopes_then_fields); i++) {
    cs_cli_argv_push(to, "-Xclang");
    cs_cli_argv_push(to, scopes_then_fields[i]);
  }
}

/* Line tables contain only the short names of functions. With this option they contain the full ones, so that reports
 * can distinguish overloads; the driver rejects it for NVPTX, so it goes to the front end directly. */
static void push_full_names(struct cs_cli_argv *to) {
  cs_cli_argv_push(to, "-Xclang");
  cs_cli_argv_push(to, "-fdebug-info-for-profiling");
}

static void push_form(struct cs_cli_argv *to, const struct cs_cli_build *b, enum cs_cli_form form) {
  if (form != CS_CLI_FORM_PTX)
    cs_cli_argv_push(to, "-emit-llvm");
  cs_cli_argv_push(to, form == CS_CLI_FORM_BITCODE ? "-c" : "-S");
  if (!b->cc.optimize)
    cs_cli_argv_push(to, "-O2");
}

static void push_files(struct cs_cli_argv *to, const char *source, const char *output) {
  const char *const words[] = {source, "-o", output};
  CS_CLI_ARGV_PUSH_ALL(to, words);
}

/* The passes run later, over all units together or twice over one; until then the code stays as the front end wrote
 * it. */
static void push_unit(struct cs_cli_argv *to, const struct cs_cli_unit *unit) {
  cs_cli_argv_push(to, "-Xclang");
  cs_cli_argv_push(to, "-disable-llvm-passes");
  if (unit->id) {
    cs_cli_argv_push(to, "-fgpu-rdc");
    cs_cli_argv_pushf(to, "-cuid=%s", unit->id);
  }
}

static struct cs_cli_argv device_command(const struct cs_cli_build *b, const char *source,
                                         const struct cs_cli_unit *unit, const char *arch, enum cs_cli_form form,
                                         const char *output) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, b->clang);
  if (isatty(STDERR_FILENO)) /* clang writes to a file */
    cs_cli_argv_push(&command, "-fcolor-diagnostics");
  cs_cli_push_cuda(&command, b);
  cs_cli_argv_push(&command, "--cuda-device-only");
  cs_cli_argv_pushf(&command, "--offload-arch=%s", arch);
  cs_cli_push_architectures(&command, b);
  push_form(&command, b, form);
  push_full_names(&command);
  cs_cli_push_common(&command, b);
  cs_cli_argv_append(&command, &b->cc.device);
  cs_cli_push_headers(&command, b, CS_CLI_LANGUAGE_CUDA);
  push_checks(&command, b);
  if (unit)
    push_unit(&command, unit);
  else
    push_pass(&command, b, form, NULL);
  push_files(&command, source, output);
  return command;
}

/* The passes see only bitcode: clang records most options there as attributes, but not these. */
static void push_optimisation(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  const struct cs_cli_argv *all = &b->cc.compile;
  for (size_t i = 0; i < all->count; i++) {
    const char *word = all->items[i];
    if (!strncmp(word, "-O", 2) || strstr(word, "unroll-loops") || strstr(word, "vectorize"))
      cs_cli_argv_push(to, word);
    else if (!strcmp(word, "-mllvm") && i + 1 < all->count) {
      cs_cli_argv_push(to, word);
      cs_cli_argv_push(to, all->items[++i]);
    }
  }
}

/* With `measured`, compiles without checks and removes what clang put into the units for them. */
static struct cs_cli_argv units_command(const struct cs_cli_build *b, const struct cs_cli_argv *bitcodes,
                                        const char *arch, enum cs_cli_form form, int measured, const char *registers,
                                        const char *output) {
  struct cs_cli_argv command = {0};
  static const char *const words[] = {
      "-x", "ir", "--target=nvptx64-nvidia-cuda", "-nogpulib", "-Qunused-arguments", "-Wno-override-module"};
  cs_cli_argv_push(&command, b->clang);
  CS_CLI_ARGV_PUSH_ALL(&command, words);
  cs_cli_argv_pushf(&command, "--cuda-path=%s", b->toolkit); /* its version decides the version of PTX */
  cs_cli_argv_pushf(&command, "-march=%s", arch);
  push_form(&command, b, form);
  push_optimisation(&command, b);
  if (measured)
    cs_cli_push_bare_pass(&command, b);
  else
    push_pass(&command, b, form, registers);
  for (size_t i = 1; i < bitcodes->count; i++) {
    const char *const more[] = {"-Xclang", "-mlink-bitcode-file", "-Xclang", bitcodes->items[i]};
    CS_CLI_ARGV_PUSH_ALL(&command, more);
  }
  push_files(&command, bitcodes->items[0], output);
  return command;
}

int cs_cli_compile_units(const struct cs_cli_build *b, const struct cs_cli_argv *bitcodes, const char *arch,
                         enum cs_cli_form form, const char *output) {
  char *registers = NULL;
  if (form == CS_CLI_FORM_PTX && !b->cc.bare) {
    char *ptx = cs_cli_format("%s/units.%s.bare.ptx", b->temp, arch);
    struct cs_cli_argv bare = units_command(b, bitcodes, arch, form, 1, NULL, ptx);
    registers = cs_cli_bare_registers(b, &bare, arch, ptx);
    cs_cli_argv_free(&bare);
    free(ptx);
  }
  struct cs_cli_argv command = units_command(b, bitcodes, arch, form, 0, registers, output);
  free(registers);
  return cs_cli_step(b, &command);
}

/* The passes run twice, without and with checks; the front end, which takes longer, runs once. */
static int compile_measured(const struct cs_cli_build *b, const char *source, const char *arch, const char *output) {
  static const struct cs_cli_unit whole = {NULL};
  struct cs_cli_argv bitcodes = {0};
  cs_cli_argv_pushf(&bitcodes, "%s/%s.%s.bc", b->temp, cs_cli_file_name(source), arch);
  int status = cs_cli_compile_device(b, source, &whole, arch, CS_CLI_FORM_BITCODE, bitcodes.items[0]);
  if (status == 0)
    status = cs_cli_compile_units(b, &bitcodes, arch, CS_CLI_FORM_PTX, output);
  cs_cli_argv_free(&bitcodes);
  return status;
}

/* What clang rejects and nvcc accepts is only known once clang has read the source: then clang reads it again. */
int cs_cli_compile_device(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit,
                          const char *arch, enum cs_cli_form form, const char *output) {
  if (form == CS_CLI_FORM_PTX && !unit && !b->cc.bare)
    return compile_measured(b, source, arch, output);
  char *messages = NULL;
  int status, repaired;
  do {
    free(messages);
    messages = NULL;
    struct cs_cli_argv command = device_command(b, source, unit, arch, form, output);
    status = cs_cli_step_quietly(b, &command, &messages);
    repaired = status && messages ? cs_cli_repair(b, messages) : 0;
  } while (repaired);
  if (messages)
    fputs(messages, stderr);
  free(messages);
  return status;
}

/* What failing checks call, once for all programs; without the file, each has a copy. */
static void push_failing(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  char path[PATH_MAX];
  const char *name = b->cc.window ? "device/failing-window.spv" : "device/failing-table.spv";
  if (!b->cc.bare && cs_cli_join(path, b->paths.private, name) == 0 && cs_cli_is_file(path))
    cs_cli_argv_pushf(to, "--failing=%s", path);
}

static int retarget(const struct cs_cli_build *b, const char *bitcode, const char *image) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_pushf(&command, "%s/cusafe-retarget", b->paths.private);
  if (b->cc.debug)
    cs_cli_argv_push(&command, "-g");
  if (b->cc.part)
    cs_cli_argv_push(&command, "--part");
  push_failing(&command, b);
  push_files(&command, bitcode, image);
  return cs_cli_step(b, &command);
}

int cs_cli_assemble(const struct cs_cli_build *b, const char *arch, const char *ptx, const char *cubin) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_pushf(&command, "%s/bin/ptxas", b->toolkit);
  cs_cli_argv_pushf(&command, "--gpu-name=%s", arch);
  cs_cli_argv_push(&command, b->cc.debug ? "-g" : "-lineinfo");
  if (b->cc.registers)
    cs_cli_argv_pushf(&command, "--maxrregcount=%d", b->cc.registers);
  push_files(&command, ptx, cubin);
  return cs_cli_step(b, &command);
}

static int make_cpu_image(const struct cs_cli_build *b, cs_cli_make_device *make, const void *what, const char *stem,
                          const char *image) {
  char *bitcode = cs_cli_format("%s/%s.bc", b->temp, stem);
  int status = make(b, what, cs_cli_cpu_arch(b), CS_CLI_FORM_BITCODE, bitcode);
  if (status == 0)
    status = retarget(b, bitcode, image);
  free(bitcode);
  return status;
}

/* NVIDIA's packages of CUDA 12 on PyPI have ptxas and no fatbinary. */
static int check_fatbinary(const struct cs_cli_build *b) {
  char path[PATH_MAX];
  if (cs_cli_join(path, b->toolkit, "bin/fatbinary") == 0 && cs_cli_is_file(path))
    return 0;
  return cs_cli_fail("%s has no bin/fatbinary, which --device=gpu requires: use a toolkit of CUDA 13, or one from "
                     "NVIDIA's installer.",
                     b->toolkit),
         -1;
}

/* One fat binary with machine code for every architecture, and PTX for later ones. */
static int make_fatbin(const struct cs_cli_build *b, cs_cli_make_device *make, const void *what, const char *stem,
                       const char *fatbin) {
  struct cs_cli_argv container = {0};
  int status = check_fatbinary(b);
  cs_cli_argv_pushf(&container, "%s/bin/fatbinary", b->toolkit);
  cs_cli_argv_push(&container, "-64");
  cs_cli_argv_pushf(&container, "--create=%s", fatbin);
  for (size_t i = 0; i < b->cc.archs.count && status == 0; i++) {
    const char *arch = b->cc.archs.items[i], *number = arch + strcspn(arch, "0123456789");
    char *ptx = cs_cli_format("%s/%s.%s.ptx", b->temp, stem, arch),
         *cubin = cs_cli_format("%s/%s.%s.cubin", b->temp, stem, arch);
    status = make(b, what, arch, CS_CLI_FORM_PTX, ptx);
    if (status == 0)
      status = cs_cli_assemble(b, arch, ptx, cubin);
    cs_cli_argv_pushf(&container, "--image3=kind=elf,sm=%s,file=%s", number, cubin);
    cs_cli_argv_pushf(&container, "--image3=kind=ptx,sm=%s,file=%s", number, ptx);
    free(ptx);
    free(cubin);
  }
  if (status == 0)
    return cs_cli_step(b, &container);
  cs_cli_argv_free(&container);
  return status;
}

int cs_cli_make_image(const struct cs_cli_build *b, cs_cli_make_device *make, const void *what, const char *stem,
                      const char *image) {
  return (b->cc.gpu ? make_fatbin : make_cpu_image)(b, make, what, stem, image);
}
