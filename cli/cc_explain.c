/* cc_explain.c: whose fault a failed compilation is: clang's, or ours? */
#include "cli/cc_build.h"
#include "cli/command.h"
#include "cli/process.h"
#include <stdlib.h>

/* One side, by clang alone: no pass, no retargeting. */
static int clang_accepts(const struct cs_build *b, const char *source, const char *side) {
  struct cs_argv command = {0};
  cs_argv_push(&command, b->clang);
  cs_push_cuda(&command, b);
  cs_argv_push(&command, side);
  cs_argv_push(&command, "--offload-arch=sm_80");
  cs_push_common(&command, b);
  cs_push_headers(&command, b, CS_LANGUAGE_CUDA);
  const char *const words[] = {source, "-S", "-o", "/dev/null"};
  CS_PUSH_ALL(&command, words);
  char text[1];
  int status = cs_capture(command.items, NULL, text, sizeof text);
  cs_argv_free(&command);
  return status == 0;
}

void cs_explain(const struct cs_build *b, const struct cs_cc_source *source) {
  if (!getenv("CUSAFE_CC_EXPLAIN"))
    return;
  if (!source)
    cs_fail("clang itself accepts the sources.");
  else if (source->language == CS_LANGUAGE_CUDA && clang_accepts(b, source->path, "--cuda-device-only") &&
           clang_accepts(b, source->path, "--cuda-host-only"))
    cs_fail("clang itself accepts %s.", source->path);
  else
    cs_fail("clang itself does not accept %s.", source->path);
}
