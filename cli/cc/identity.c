/* identity.c: makes CMake identify cusafe as nvcc. CMake builds a test file and reads the output of -v.
 *
 * Projects set flags for the compiler NVIDIA. Identified as clang, cusafe would not get them, and CMake would link
 * device code itself. So the test file sees nvcc's macros (clang.c), and -v ends with the lines of nvcc that CMake
 * parses. */
#include "cli/cc/identity.h"
#include "cli/base/message.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cs_cli_identity_asked(struct cs_cli_build *b) {
  for (size_t i = 0; i < b->cc.source_count; i++)
    if (strcmp(cs_cli_file_name(b->cc.sources[i].path), "CMakeCUDACompilerId.cu") == 0) {
      b->cc.as_clang |= !cs_cli_is_nvcc(b->program);
      return !b->cc.as_clang;
    }
  return 0;
}

/* The executable's path and the toolkit that contains it; the real toolkit if none does. */
static int find_top(const struct cs_cli_build *b, char self[PATH_MAX], char top[PATH_MAX]) {
  char header[PATH_MAX + 32], found[PATH_MAX];
  if (cs_cli_find_program(b->program, found) != 0)
    return -1;
  found[strlen(found) - strlen(cs_cli_file_name(found))] = 0;
  char *folder = realpath(*found ? found : ".", NULL);
  int bad = !folder || cs_cli_join(self, folder, "nvcc") != 0;
  if (!bad) {
    snprintf(header, sizeof header, "%s/../include/cuda_runtime.h", folder);
    folder[strlen(folder) - strlen(cs_cli_file_name(folder))] = 0;
    snprintf(top, PATH_MAX, "%s", cs_cli_is_file(header) ? folder : b->toolkit);
  }
  free(folder);
  return bad ? -1 : 0;
}

void cs_cli_identity_top(const struct cs_cli_build *b) {
  char self[PATH_MAX], top[PATH_MAX];
  if (b->cc.verbose && cs_cli_is_nvcc(b->program) && find_top(b, self, top) == 0)
    fprintf(stderr, "#$ TOP=%s\n", top);
}

void cs_cli_identity_show(const struct cs_cli_build *b) {
  char self[PATH_MAX], top[PATH_MAX];
  const char *path = getenv("PATH"), *arch = cs_cli_cpu_arch(b);
  if (!b->cc.verbose || find_top(b, self, top) != 0)
    return;
  fprintf(stderr, "#$ PATH=%s\n#$ INCLUDES=\"-I%s/include\"\n#$ LIBRARIES= \"-L%s/lib64\"\n", path ? path : "", top,
          top);
  fprintf(stderr, "#$ cicc -arch compute_%s\n", arch + strcspn(arch, "0123456789"));
  fprintf(stderr, "#$ \"%s\" -o \"a.out\" \"-L%s/lib64\" -lcudadevrt -lcudart_static -lrt -lpthread -ldl\n", self, top);
}
