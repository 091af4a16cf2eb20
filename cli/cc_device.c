/* cc_device.c: the device side: from a source to an image. */
#include "cli/cc_build.h"
#include <stdlib.h>
#include <string.h>

const char *cs_cli_runtime_name(const struct cs_cli_build *b) {
  return b->cc.window ? "device/check-window.bc" : "device/check-table.bc";
}

const char *cs_cli_cpu_arch(const struct cs_cli_build *b) {
  return b->cc.cpu_arch ? b->cc.cpu_arch : "sm_80";
}

/* -load makes the plugin's options known before they are parsed; -fpass-plugin puts it into the pipeline. */
static void push_plugin(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  cs_cli_argv_pushf(to, "-fpass-plugin=%s/cusafe-pass.so", b->paths.private);
  cs_cli_argv_push(to, "-Xclang");
  cs_cli_argv_push(to, "-load");
  cs_cli_argv_push(to, "-Xclang");
  cs_cli_argv_pushf(to, "%s/cusafe-pass.so", b->paths.private);
}

/* Without checks too: what only some lanes have set is to mean the same (pass/attributes.c). */
static void push_no_pass(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  push_plugin(to, b);
  cs_cli_argv_push(to, "-mllvm");
  cs_cli_argv_push(to, "-cusafe-bare");
}

static void push_step(struct cs_cli_argv *to, const char *option, const char *step) {
  if (step == NULL)
    return;
  cs_cli_argv_push(to, "-mllvm");
  cs_cli_argv_pushf(to, "-cusafe-%s=%s", option, step);
}

static void push_pass(struct cs_cli_argv *to, const struct cs_cli_build *b, const char *registers) {
  if (b->cc.bare) {
    push_no_pass(to, b);
    return;
  }
  push_plugin(to, b);
  cs_cli_argv_push(to, "-mllvm");
  cs_cli_argv_pushf(to, "-cusafe-runtime=%s/%s", b->paths.private, cs_cli_runtime_name(b));
  cs_cli_argv_push(to, "-mllvm");
  cs_cli_argv_pushf(to, "-cusafe-toolkit=%s", b->toolkit);
  if (b->cc.window) {
    cs_cli_argv_push(to, "-mllvm");
    cs_cli_argv_push(to, "-cusafe-metadata=window");
  }
  if (b->cc.eliminate) {
    cs_cli_argv_push(to, "-mllvm");
    cs_cli_argv_pushf(to, "-cusafe-eliminate=%s", b->cc.eliminate);
  }
  if (b->cc.ignorelist) {
    cs_cli_argv_push(to, "-mllvm");
    cs_cli_argv_pushf(to, "-cusafe-ignorelist=%s", b->cc.ignorelist);
  }
  if (b->cc.skip) {
    cs_cli_argv_push(to, "-mllvm");
    cs_cli_argv_pushf(to, "-cusafe-skip=%s", b->cc.skip);
  }
  if (b->cc.statistics || b->cc.verbose) {
    cs_cli_argv_push(to, "-mllvm");
    cs_cli_argv_push(to, b->cc.statistics ? "-cusafe-statistics" : "-cusafe-unknown");
  }
  if (b->cc.count) {
    cs_cli_argv_push(to, "-mllvm");
    cs_cli_argv_push(to, "-cusafe-count");
  }
  push_step(to, "print-after", b->cc.print_after);
  push_step(to, "stop-after", b->cc.stop_after);
  if (registers) {
    cs_cli_argv_push(to, "-mllvm");
    cs_cli_argv_pushf(to, "-cusafe-registers=%s", registers);
  }
}

/* What the checks want from clang on the device side: the variables' names, their scopes also at -O0, and its own checks of
 * indices into arrays, which the pass turns into ours. The driver offers none of it for NVPTX, so it goes to the compiler. */
static void push_checks(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  static const char *const flags[] = {"-fsanitize-address-use-after-scope", "-fsanitize=array-bounds",
                                      "-fsanitize-recover=array-bounds"};
  if (b->cc.bare) {
    cs_cli_argv_push(to, "-include"); /* with nvcc, new and delete need no header */
    cs_cli_argv_push(to, "new");
    return;
  }
  cs_cli_argv_push(to, "-fno-discard-value-names");
  cs_cli_argv_push(to, "-fstrict-flex-arrays=1"); /* only a last member of length 0 or 1 may be longer than it says */
  for (size_t i = 0; i < (b->cc.skip_fields ? 1 : sizeof flags / sizeof *flags); i++) { /* the first is about scopes */
    cs_cli_argv_push(to, "-Xclang");
    cs_cli_argv_push(to, flags[i]);
  }
}

/* Line tables have only the short names of functions. With this they have the full ones, so that reports can tell overloads
 * apart; the driver does not offer it for NVPTX, so it goes to the compiler directly. */
static void push_full_names(struct cs_cli_argv *to) {
  cs_cli_argv_push(to, "-Xclang");
  cs_cli_argv_push(to, "-fdebug-info-for-profiling");
}

static void push_form(struct cs_cli_argv *to, const struct cs_cli_build *b, enum cs_cli_form form) {
  if (form == CS_CLI_FORM_BITCODE)
    cs_cli_argv_push(to, "-emit-llvm");
  cs_cli_argv_push(to, form == CS_CLI_FORM_BITCODE ? "-c" : "-S");
  if (!b->cc.optimize)
    cs_cli_argv_push(to, "-O2");
}

static void push_files(struct cs_cli_argv *to, const char *source, const char *output) {
  const char *const words[] = {source, "-o", output};
  CS_CLI_PUSH_ALL(to, words);
}

/* The passes come later, over all units together or twice over one: until then it stays as clang makes it, untouched. */
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
    push_pass(&command, b, NULL);
  push_files(&command, source, output);
  return command;
}

/* What the passes, which have only the bitcode, need to be told again: of the rest, clang has made attributes. */
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

/* To be measured: without checks, and without what clang has put into the units for them. */
static struct cs_cli_argv units_command(const struct cs_cli_build *b, const struct cs_cli_argv *bitcodes,
                                        const char *arch, enum cs_cli_form form, int measured, const char *registers,
                                        const char *output) {
  struct cs_cli_argv command = {0};
  static const char *const words[] = {
      "-x", "ir", "--target=nvptx64-nvidia-cuda", "-nogpulib", "-Qunused-arguments", "-Wno-override-module"};
  cs_cli_argv_push(&command, b->clang);
  CS_CLI_PUSH_ALL(&command, words);
  cs_cli_argv_pushf(&command, "-march=%s", arch);
  push_form(&command, b, form);
  push_optimisation(&command, b);
  if (measured)
    push_no_pass(&command, b);
  else
    push_pass(&command, b, registers);
  for (size_t i = 1; i < bitcodes->count; i++) {
    const char *const more[] = {"-Xclang", "-mlink-bitcode-file", "-Xclang", bitcodes->items[i]};
    CS_CLI_PUSH_ALL(&command, more);
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

/* The passes run twice, without checks and with them; the front end, which takes longer, only once. */
static int compile_measured(const struct cs_cli_build *b, const char *source, const char *arch, const char *output) {
  static const struct cs_cli_unit whole = {NULL};
  struct cs_cli_argv bitcodes = {0};
  cs_cli_argv_pushf(&bitcodes, "%s/%s.%s.bc", b->temp, cs_cli_name_of(source), arch);
  int status = cs_cli_compile_device(b, source, &whole, arch, CS_CLI_FORM_BITCODE, bitcodes.items[0]);
  if (status == 0)
    status = cs_cli_compile_units(b, &bitcodes, arch, CS_CLI_FORM_PTX, output);
  cs_cli_argv_free(&bitcodes);
  return status;
}

int cs_cli_compile_device(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit,
                          const char *arch, enum cs_cli_form form, const char *output) {
  if (form == CS_CLI_FORM_PTX && !unit && !b->cc.bare)
    return compile_measured(b, source, arch, output);
  struct cs_cli_argv command = device_command(b, source, unit, arch, form, output);
  return cs_cli_step(b, &command);
}

int cs_cli_retarget(const struct cs_cli_build *b, const char *bitcode, const char *image) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_pushf(&command, "%s/cusafe-retarget", b->paths.private);
  if (b->cc.debug)
    cs_cli_argv_push(&command, "-g");
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
    status = cs_cli_retarget(b, bitcode, image);
  free(bitcode);
  return status;
}

/* Machine code for every architecture, and PTX for those to come, in one container. */
static int make_fatbin(const struct cs_cli_build *b, cs_cli_make_device *make, const void *what, const char *stem,
                       const char *fatbin) {
  struct cs_cli_argv container = {0};
  int status = 0;
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
