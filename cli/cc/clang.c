/* clang.c: the arguments of clang that host and device compilations have in common. */
#include "cli/cc/clang.h"
#include "cli/base/paths.h"
#include <stdlib.h>
#include <string.h>

/* clang's own header includes a header of cuRAND, which is a package of its own on PyPI. */
static void push_absent_headers(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  char header[PATH_MAX];
  if (cs_cli_join(header, b->toolkit, "include/curand_mtgp32_kernel.h") != 0 || cs_cli_is_file(header))
    return;
  cs_cli_argv_push(to, "-idirafter");
  cs_cli_argv_pushf(to, "%s/absent", b->paths.private);
}

void cs_cli_push_cuda(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  cs_cli_argv_push(to, "-x");
  cs_cli_argv_push(to, "cuda");
  cs_cli_argv_pushf(to, "--cuda-path=%s", b->toolkit);
  cs_cli_argv_push(to, "-Wno-unknown-cuda-version");
  push_absent_headers(to, b);
}

/* nvcc's own headers have no objection to -DN=1024; those that clang includes first have parameters of such names. */
static int has_letter_macro(const struct cs_cli_argv *options) {
  for (size_t i = 0; i < options->count; i++) {
    const char *text = options->items[i];
    if (!strncmp(text, "-D", 2) && text[2] && (!text[3] || text[3] == '=' || text[3] == '('))
      return 1;
  }
  return 0;
}

void cs_cli_push_headers(struct cs_cli_argv *to, const struct cs_cli_build *b, enum cs_cli_language language) {
  if (language == CS_CLI_LANGUAGE_CUDA) {
    if (has_letter_macro(&b->cc.compile)) {
      cs_cli_argv_push(to, "-imacros"); /* precedes every -include, clang's own too */
      cs_cli_argv_pushf(to, "%s/cusafe_letters.h", b->paths.private);
    }
    cs_cli_argv_push(to, "-include");
    cs_cli_argv_pushf(to, "%s/cusafe_nvcc.h", b->paths.private);
  }
  if (language != CS_CLI_LANGUAGE_C) {
    cs_cli_argv_push(to, "-isystem");
    cs_cli_argv_pushf(to, "%s/include/cccl", b->toolkit);
  }
  if (language != CS_CLI_LANGUAGE_CUDA && !b->cc.as_clang)
    cs_cli_argv_push(to, "-D__NVCC__=1");
  /* --cuda-path alone would search it last: /usr/include may have the headers of another version. */
  cs_cli_argv_push(to, "-isystem");
  cs_cli_argv_pushf(to, "%s/include", b->toolkit);
  cs_cli_argv_push(to, "-idirafter"); /* cusafe/cusafe.h */
  cs_cli_argv_pushf(to, "%s/include", b->paths.prefix);
}

/* nvcc and its host compiler accept these, with a warning at most. */
static const char *const lenient[] = {
    "-Wno-unknown-warning-option",
    "-Wno-error=register",
    "-Wno-error=c++11-narrowing",
    "-Wno-error=implicit-function-declaration",
    "-Wno-error=implicit-int",
    "-Wno-error=int-conversion",
    "-Wno-error=incompatible-function-pointer-types",
    "-Wno-error=format-security",
    "-Wno-pass-failed", /* `#pragma unroll` before a loop of unknown length, as in CUB */
};

/* nvcc's macros, for programs that test them. In CUDA sources cusafe_nvcc.h defines __NVCC__, after the toolkit's
 * headers. */
static void push_macros(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  int version = cs_cli_toolkit_version(b->toolkit);
  if (b->cc.as_clang) {
    cs_cli_argv_push(to, "-DCUSAFE_NO_NVCC_MACROS");
    return;
  }
  cs_cli_argv_pushf(to, "-D__CUDACC_VER_MAJOR__=%d", version / 1000);
  cs_cli_argv_pushf(to, "-D__CUDACC_VER_MINOR__=%d", version % 1000 / 10);
  cs_cli_argv_push(to, "-D__CUDACC_VER_BUILD__=0");
  if (b->cc.relocatable)
    cs_cli_argv_push(to, "-DCUSAFE_NVCC_RDC");
}

void cs_cli_push_common(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  if (!b->cc.debug)
    cs_cli_argv_push(to, "-gline-tables-only");
  cs_cli_argv_push(to, "-Qunused-arguments");
  if (b->overlay && b->overlay->path) {
    cs_cli_argv_push(to, "-ivfsoverlay");
    cs_cli_argv_push(to, b->overlay->path);
  }
  CS_CLI_ARGV_PUSH_ALL(to, lenient);
  push_macros(to, b);
  cs_cli_argv_append(to, &b->cc.compile);
}

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
