/* gpu_libraries.c: recognises NVIDIA's libraries that require a GPU, on command lines and in programs. */
#include "cli/base/gpu_libraries.h"
#include "cli/base/elf.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include <string.h>

const struct cs_cli_gpu_library *cs_cli_gpu_library(const char *argument) {
  static const struct cs_cli_gpu_library libraries[] = {
#define CS_GPU_LIBRARY(name, title, stand_in, computes) {name, title, stand_in, computes},
#include "cusafe/gpu_libraries.inc"
  };
  const char *name = cs_cli_file_name(argument);
  const char *start = *argument == '-' ? "-l" : "lib";
  if (strncmp(name, start, strlen(start)) != 0)
    return NULL;
  name += strlen(start);
  size_t length = strcspn(name, ".");
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (strlen(libraries[i].name) == length && !strncmp(libraries[i].name, name, length))
      return &libraries[i];
  return NULL;
}

void cs_cli_warn_gpu_libraries(const char *program) {
  struct cs_cli_elf elf;
  const char *needed;
  if (cs_cli_elf_open(&elf, program))
    return;
  for (size_t i = 0; (needed = cs_cli_elf_needed(&elf, i)) != NULL; i++) {
    const struct cs_cli_gpu_library *library = cs_cli_gpu_library(needed);
    if (library && !library->computes)
      cs_cli_fail("%s uses %s, which requires a GPU; this machine has none, so its calls will fail.", program,
                  library->title);
  }
  cs_cli_elf_close(&elf);
}
