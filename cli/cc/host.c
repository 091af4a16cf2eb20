/* host.c: compiles the host side of CUDA sources, and host-only sources. */
#include "cli/cc/host.h"
#include "cli/cc/clang.h"
#include "cli/cc/device.h"
#include <stdlib.h>
#include <string.h>

/* libdw finds a compilation unit by its address ranges, which clang omits by default: without them, host stacks have no
 * lines. Without sibling calls, a function that ends in an invalid cudaFree appears in the stack. */
static void push_host(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  static const char *const words[] = {"-Xarch_host", "-gdwarf-aranges", "-Xarch_host", "-fno-optimize-sibling-calls"};
  CS_CLI_ARGV_PUSH_ALL(to, words);
  cs_cli_argv_append(to, &b->cc.host);
}

static int finish(const struct cs_cli_build *b, struct cs_cli_argv *command, const char *source, const char *output) {
  cs_cli_argv_push(command, source);
  if (output) {
    cs_cli_argv_push(command, "-o");
    cs_cli_argv_push(command, output);
  }
  return cs_cli_step(b, command);
}

static void start(struct cs_cli_argv *command, const struct cs_cli_build *b) {
  cs_cli_argv_push(command, b->clang);
  cs_cli_push_cuda(command, b);
  cs_cli_argv_push(command, "--cuda-host-only");
  cs_cli_push_architectures(command, b);
}

static void push_flags(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  cs_cli_push_common(to, b);
  push_host(to, b);
  cs_cli_push_headers(to, b, CS_CLI_LANGUAGE_CUDA);
  if (b->cc.gpu && !b->cc.bare && !b->cc.one_step) /* the CPU device's runtime loads it (cpu/cudart/checker.c) */
    cs_cli_argv_push(to, "-DCUSAFE_NEEDS_LIBCUSAFE");
}

int cs_cli_compile_host(const struct cs_cli_build *b, const char *source, const char *image, const char *output) {
  struct cs_cli_argv command = {0};
  start(&command, b);
  if (image) {
    const char *const embed[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", image, "-c"};
    CS_CLI_ARGV_PUSH_ALL(&command, embed);
    cs_cli_push_bare_pass(&command, b);
  }
  push_flags(&command, b);
  return finish(b, &command, source, output);
}

int cs_cli_compile_host_unit(const struct cs_cli_build *b, const char *source, const struct cs_cli_unit *unit,
                             const char *parcel, const char *output) {
  struct cs_cli_argv command = {0};
  start(&command, b);
  cs_cli_argv_push(&command, "-fgpu-rdc");
  cs_cli_argv_pushf(&command, "-cuid=%s", unit->id);
  cs_cli_argv_push(&command, "-Xclang");
  cs_cli_argv_pushf(&command, "-fembed-offload-object=%s", parcel);
  cs_cli_argv_push(&command, "-c");
  push_flags(&command, b);
  return finish(b, &command, source, output);
}

/* gcc, and so nvcc, accepts a C++ standard for C sources; clang does not. */
static void drop_cxx_standards(struct cs_cli_argv *command) {
  size_t kept = 0;
  for (size_t i = 0; i < command->count; i++)
    if (strncmp(command->items[i], "-std=c++", 8) == 0 || strncmp(command->items[i], "-std=gnu++", 10) == 0)
      free(command->items[i]);
    else
      command->items[kept++] = command->items[i];
  command->count = kept;
  command->items[kept] = NULL;
}

int cs_cli_compile_plain(const struct cs_cli_build *b, const struct cs_cli_cc_source *source, const char *output) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, b->clang);
  cs_cli_argv_push(&command, "-x");
  cs_cli_argv_push(&command, source->language == CS_CLI_LANGUAGE_C ? "c" : "c++");
  if (!b->cc.one_step)
    cs_cli_argv_push(&command, "-c");
  cs_cli_push_common(&command, b);
  push_host(&command, b);
  if (source->language == CS_CLI_LANGUAGE_C)
    drop_cxx_standards(&command);
  cs_cli_push_headers(&command, b, source->language);
  return finish(b, &command, source->path, output);
}

int cs_cli_ask_host(const struct cs_cli_build *b) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, b->clang);
  cs_cli_argv_append(&command, &b->cc.host);
  return cs_cli_step(b, &command);
}
