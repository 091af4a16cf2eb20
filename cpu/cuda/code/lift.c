/* lift.c: modules that are PTX text: `cusafe lift` translates them in another process, since programs may bring their own LLVM, and the
 * cache of compiled modules keeps the images. */
#include "cpu/cuda/code/lift.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/engine/cache.h"
#include "cusafe/environment.h"
#include "cusafe/lifts.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY_BYTES = 256 };

/* What is made of the PTX. */
struct form {
  int checked, part;
};

/* Text begins with .version, after blanks and comments. */
int cs_cpu_is_ptx(const void *data) {
  const char *at = data;
  for (;;) {
    at += strspn(at, " \t\r\n");
    const char *end = strncmp(at, "//", 2) == 0   ? strchr(at, '\n')
                      : strncmp(at, "/*", 2) == 0 ? strstr(at + 2, "*/")
                                                  : NULL;
    if (!end)
      return strncmp(at, ".version", 8) == 0;
    at = end + (*end == '*' ? 2 : 1);
  }
}

/* --- The command --- */

/* The folder of this library: lib/cusafe/cpu. */
static int find_folder(char folder[PATH_MAX]) {
  Dl_info self;
  if (!dladdr((void *)(uintptr_t)cs_cpu_is_ptx, &self) || !realpath(self.dli_fname, folder))
    return -1;
  *strrchr(folder, '/') = 0;
  return 0;
}

/* bin/cusafe of the prefix that this library is in: prefix/lib/cusafe/cpu, or prefix/lib/MACHINE/cusafe/cpu. */
static int find_command(char path[PATH_MAX]) {
  static const char *const ways[] = {"/../../../bin/cusafe", "/../../../../bin/cusafe"};
  char folder[PATH_MAX];
  if (find_folder(folder))
    return -1;
  for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
    if (snprintf(path, PATH_MAX, "%s%s", folder, ways[i]) < PATH_MAX && access(path, X_OK) == 0)
      return 0;
  return -1;
}

/* Without what `cusafe run` preloads into the program. */
static char **plain_environment(void) {
  size_t count = 0, kept = 0;
  while (environ[count])
    count++;
  char **made = calloc(count + 1, sizeof *made);
  for (size_t i = 0; made && i < count; i++)
    if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
      made[kept++] = environ[i];
  return made;
}

static int run(char **argv) {
  char **environment = plain_environment();
  pid_t child;
  int status = -1;
  if (!environment || posix_spawn(&child, argv[0], NULL, NULL, argv, environment) != 0) {
    free(environment);
    return -1;
  }
  free(environment);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  int failed = !file || fputs(text, file) < 0;
  return (file && fclose(file)) || failed ? -1 : 0;
}

/* module.ptx; of several modules module-1.ptx, module-2.ptx, ... NULL without memory. */
static char *file_name(const char *folder, size_t number, size_t count) {
  char *name;
  int length =
      count > 1 ? asprintf(&name, "%s/module-%zu.ptx", folder, number + 1) : asprintf(&name, "%s/module.ptx", folder);
  return length < 0 ? NULL : name;
}

static CUresult lift_files(char *command, char **inputs, size_t count, char *output, const struct form *form,
                           void **image) {
  char *words[] = {command, "lift", "-o", output, form->part ? "--part" : NULL, form->checked ? NULL : "--bare"};
  char **argv = calloc(count + 1 + sizeof words / sizeof *words, sizeof *argv), **to = argv;
  if (!argv)
    return CUDA_ERROR_OUT_OF_MEMORY;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i])
      *to++ = words[i];
  memcpy(to, inputs, count * sizeof *argv);
  CUresult result = run(argv) == 0 ? cs_cpu_image_read(output, image) : CUDA_ERROR_INVALID_PTX;
  free(argv);
  return result;
}

/* The files are in a folder that only this user can read. */
static CUresult lift_in(const char *folder, char *command, const char *const *ptx, size_t count,
                        const struct form *form, void **image) {
  char output[PATH_MAX];
  char **inputs = calloc(count, sizeof *inputs);
  int failed = !inputs || snprintf(output, sizeof output, "%s/module.img", folder) >= PATH_MAX;
  for (size_t i = 0; i < count && !failed; i++)
    failed = !(inputs[i] = file_name(folder, i, count)) || write_text(inputs[i], ptx[i]);
  CUresult result = failed ? CUDA_ERROR_OPERATING_SYSTEM : lift_files(command, inputs, count, output, form, image);
  for (size_t i = 0; inputs && i < count && inputs[i]; i++) {
    unlink(inputs[i]);
    free(inputs[i]);
  }
  if (!failed)
    unlink(output);
  free(inputs);
  return result;
}

static CUresult lift(const char *const *ptx, size_t count, const struct form *form, void **image) {
  const char *temp = cs_environment("TMPDIR");
  char command[PATH_MAX], folder[PATH_MAX];
  if (find_command(command)) {
    fputs(
        "cusafe: a module is PTX, and the command cusafe, which translates it, is not installed next to this driver.\n",
        stderr);
    return CUDA_ERROR_JIT_COMPILER_NOT_FOUND;
  }
  if (snprintf(folder, sizeof folder, "%s/cusafe-XXXXXX", temp && *temp ? temp : "/tmp") >= PATH_MAX ||
      !mkdtemp(folder))
    return CUDA_ERROR_OPERATING_SYSTEM;
  CUresult result = lift_in(folder, command, ptx, count, form, image);
  rmdir(folder);
  return result;
}

/* Images of other versions of the translators are not used: the key has their sizes and times. */
static void make_key(char key[KEY_BYTES], const struct form *form) {
  static const char *const parts[] = {"cusafe-lift", "cusafe-pass.so", "cusafe-retarget", "device/check-table.bc"};
  char folder[PATH_MAX] = "", path[PATH_MAX];
  struct stat status;
  int length = snprintf(key, KEY_BYTES, "cusafe lift%s%s, image %u", form->checked ? ", checked" : "",
                        form->part ? ", part" : "", CS_IMAGE_VERSION);
  if (find_folder(folder))
    return;
  for (size_t i = 0; i < sizeof parts / sizeof *parts && length < KEY_BYTES; i++)
    if (snprintf(path, sizeof path, "%s/../%s", folder, parts[i]) < PATH_MAX && stat(path, &status) == 0)
      length += snprintf(key + length, KEY_BYTES - (size_t)length, ", %lld %lld.%09ld", (long long)status.st_size,
                         (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

int cusafe_lifts_ptx(void) {
  return 1;
}

/* All modules, one after the other, each with its final 0: what the cache compares. */
static char *joined(const char *const *ptx, size_t count, size_t *bytes) {
  *bytes = 0;
  for (size_t i = 0; i < count; i++)
    *bytes += strlen(ptx[i]) + 1;
  char *made = malloc(*bytes + 1), *at = made;
  for (size_t i = 0; made && i < count; i++)
    at = stpcpy(at, ptx[i]) + 1;
  return made;
}

static cs_u32 arch_of(const char *ptx) {
  const char *target = strstr(ptx, ".target"), *arch = target ? strstr(target, "sm_") : NULL;
  return arch ? (cs_u32)strtoul(arch + 3, NULL, 10) : 0;
}

CUresult cs_cpu_lift(const char *const *ptx, size_t count, int part, void **image) {
  struct form form = {dlopen(CUSAFE_SONAME, RTLD_LAZY | RTLD_NOLOAD) != NULL, part};
  char key[KEY_BYTES];
  size_t length, bytes;
  char *all = joined(ptx, count, &length);
  if (!all)
    return CUDA_ERROR_OUT_OF_MEMORY;
  make_key(key, &form);
  *image = cs_cpu_cache_find(key, all, length, &bytes);
  int is_cached = *image != NULL;
  CUresult result = is_cached ? CUDA_SUCCESS : lift(ptx, count, &form, image);
  if (result == CUDA_SUCCESS && !is_cached) {
    struct cs_image *made = *image;
    made->ptx_arch = arch_of(ptx[0]);
    cs_cpu_cache_keep(key, all, length, made, made->total_bytes);
  }
  free(all);
  return result;
}
