/* cc_host.c: the host side of CUDA sources, and sources that have no other. */
#include "cli/cc_build.h"
#include <stdlib.h>
#include <string.h>

void cs_cli_push_cuda(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  cs_cli_argv_push(to, "-x");
  cs_cli_argv_push(to, "cuda");
  cs_cli_argv_pushf(to, "--cuda-path=%s", b->toolkit);
  cs_cli_argv_push(to, "-Wno-unknown-cuda-version");
}

/* Headers that nvcc finds by itself, and what nvcc declares by itself. */
void cs_cli_push_headers(struct cs_cli_argv *to, const struct cs_cli_build *b, enum cs_cli_language language) {
  if (language == CS_CLI_LANGUAGE_CUDA) {
    cs_cli_argv_push(to, "-include");
    cs_cli_argv_pushf(to, "%s/cusafe_nvcc.h", b->paths.private);
  }
  if (language != CS_CLI_LANGUAGE_C) {
    cs_cli_argv_push(to, "-isystem");
    cs_cli_argv_pushf(to, "%s/include/cccl", b->toolkit);
  }
  if (language != CS_CLI_LANGUAGE_CUDA) {
    cs_cli_argv_push(to, "-isystem");
    cs_cli_argv_pushf(to, "%s/include", b->toolkit);
  }
}

/* libdw finds a compilation unit by the address ranges, which clang leaves out: without them, host stacks have no lines. And a
 * function that ends in a bad cudaFree is to be in its stack. */
static void push_host(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  static const char *const words[] = {"-Xarch_host", "-gdwarf-aranges", "-Xarch_host", "-fno-optimize-sibling-calls"};
  CS_CLI_PUSH_ALL(to, words);
  cs_cli_argv_append(to, &b->cc.host);
}

/* What nvcc and its host compiler let pass, with a warning at most, is no error here either. */
static const char *const lenient[] = {
    "-Wno-unknown-warning-option",
    "-Wno-error=register",
    "-Wno-error=c++11-narrowing",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=format-security",
};

void cs_cli_push_common(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  if (!b->cc.debug)
    cs_cli_argv_push(to, "-gline-tables-only");
  cs_cli_argv_push(to, "-Qunused-arguments");
  CS_CLI_PUSH_ALL(to, lenient);
  cs_cli_argv_append(to, &b->cc.compile);
}

static int finish(const struct cs_cli_build *b, struct cs_cli_argv *command, const char *source, const char *output) {
  cs_cli_argv_push(command, source);
  if (output) {
    cs_cli_argv_push(command, "-o");
    cs_cli_argv_push(command, output);
  }
  return cs_cli_step(b, command);
}

/* Both sides must see the same architectures: libraries made of templates put their list into the names of kernels. */
void cs_cli_push_architectures(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  char *list = cs_cli_format("%s", "");
  for (size_t i = 0; i < (b->cc.gpu ? b->cc.archs.count : 1); i++) {
    const char *arch = b->cc.gpu ? b->cc.archs.items[i] : cs_cli_cpu_arch(b);
    const char *number = arch + strcspn(arch, "0123456789");
    char *longer = cs_cli_format("%s%s%.*s0", list, i ? "," : "", (int)strspn(number, "0123456789"), number);
    free(list);
    list = longer;
  }
  cs_cli_argv_push(to, "-U__CUDA_ARCH_LIST__");
  cs_cli_argv_pushf(to, "-D__CUDA_ARCH_LIST__=%s", list);
  free(list);
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
}

int cs_cli_compile_host(const struct cs_cli_build *b, const char *source, const char *image, const char *output) {
  struct cs_cli_argv command = {0};
  start(&command, b);
  if (image) {
    const char *const embed[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", image, "-c"};
    CS_CLI_PUSH_ALL(&command, embed);
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

/* gcc, and with it nvcc, lets a C++ standard pass for C sources; clang does not. */
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
