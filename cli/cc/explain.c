/* explain.c: compiles a failed source again with clang alone. */
#include "cli/cc/explain.h"
#include "cli/base/message.h"
#include "cli/base/process.h"
#include "cli/cc/clang.h"
#include <stdlib.h>

/* Compiles one side with clang alone: no pass, no retargeting. */
static int clang_accepts(const struct cs_cli_build *b, const char *source, const char *side) {
  struct cs_cli_argv command = {0};
  cs_cli_argv_push(&command, b->clang);
  cs_cli_push_cuda(&command, b);
  cs_cli_argv_push(&command, side);
  cs_cli_argv_push(&command, "--offload-arch=sm_80");
  cs_cli_push_common(&command, b);
  cs_cli_push_headers(&command, b, CS_CLI_LANGUAGE_CUDA);
  const char *const words[] = {source, "-S", "-o", "/dev/null"};
  CS_CLI_ARGV_PUSH_ALL(&command, words);
  char text[1];
  int status = cs_cli_capture(command.items, text, sizeof text);
  cs_cli_argv_free(&command);
  return status == 0;
}

static int accepts(const struct cs_cli_build *b, const struct cs_cli_cc_source *source) {
  return source->language == CS_CLI_LANGUAGE_CUDA && clang_accepts(b, source->path, "--cuda-device-only") &&
         clang_accepts(b, source->path, "--cuda-host-only");
}

static void advise(const struct cs_cli_build *b, const char *text) {
  if (b->cc.explain)
    cs_cli_fail("%s", text);
}

void cs_cli_explain(const struct cs_cli_build *b, const struct cs_cli_cc_source *source) {
  if (!b->cc.explain && !getenv("CUSAFE_CC_EXPLAIN"))
    return;
  if (!source) {
    cs_cli_fail("clang itself accepts the sources.");
    advise(b, "the link has failed: the linker names above what is missing; add its library (-l) or its object.");
  } else if (accepts(b, source)) {
    cs_cli_fail("clang itself accepts %s.", source->path);
    advise(b, "CuSafe rejects a construct, named above with its line: rewrite it, or exclude its kernel from the build "
              "with the preprocessor; docs/use/cpu-device.md lists what the CPU device cannot execute.");
  } else {
    cs_cli_fail("clang itself does not accept %s.", source->path);
    advise(b, "the first error above is clang's: if it is a missing header, add its folder (-I); if nvcc accepts the "
              "code, see docs/use/porting.md for what differs.");
  }
}
