/* clang.h: the arguments of clang that host and device compilations have in common. */
#ifndef CUSAFE_CLI_CC_CLANG_H
#define CUSAFE_CLI_CC_CLANG_H

#include "cli/cc/build.h"

/* The language CUDA, and the toolkit. */
void cs_cli_push_cuda(struct cs_cli_argv *to, const struct cs_cli_build *b);

/* The headers that nvcc includes or finds implicitly. */
void cs_cli_push_headers(struct cs_cli_argv *to, const struct cs_cli_build *b, enum cs_cli_language language);

/* Debug information, warnings and the user's flags for every compilation. */
void cs_cli_push_common(struct cs_cli_argv *to, const struct cs_cli_build *b);

/* __CUDA_ARCH_LIST__. Host and device must see the same list: template libraries mangle it into the names of
 * kernels. */
void cs_cli_push_architectures(struct cs_cli_argv *to, const struct cs_cli_build *b);

#endif
