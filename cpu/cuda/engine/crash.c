/* crash.c: the sentence that names the kernel which the engine cannot compile. Written before the compilation, because
 * a signal handler cannot. */
#include "cpu/cuda/engine/crash.h"
#include "cpu/cuda/base/kernel_name.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static _Thread_local char *sentence;

void cs_cpu_crash_begin(const char *kernel, int others) {
  char *name = kernel ? cs_cpu_kernel_name(kernel) : NULL, *text;
  int length = asprintf(&text,
                        "cusafe: the engine crashed while it compiled %s%s%s: it does with some kernels that have many "
                        "barriers; '#pragma unroll 1' before a loop with barriers avoids that\n",
                        kernel ? "kernel " : "variables", kernel ? name ? name : kernel : "",
                        others ? " or another one of its module" : "");
  sentence = length < 0 ? NULL : text;
  free(name);
}

void cs_cpu_crash_end(void) {
  free(sentence);
  sentence = NULL;
}

int cs_cpu_crash_print(void) {
  const char *text = sentence;
  if (!text)
    return 0;
  sentence = NULL;
  return write(STDERR_FILENO, text, strlen(text)) >= 0;
}
