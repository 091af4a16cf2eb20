/* search.c: an auditor of the dynamic linker (LD_AUDIT, see rtld-audit(7)), for programs on the CPU device: each search
 * for NVIDIA's driver, its runtime or a library that has a stand-in leads to ours, from DT_RPATH, an absolute path and
 * the linker's cache as well. NVIDIA's other libraries that require its driver are not loaded. The linker loads this
 * file with a C library of its own, and calls it under its lock. */
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct library {
  const char *name, *title; /* the file's name between "lib" and ".so", and the product's */
  const char *file;         /* ours, in the folder of this library; NULL if there is none */
  char path[PATH_MAX];
  int is_reported;
} libraries[] = {
    {"cuda", "driver", "libcuda.so.1", "", 0},
    {"cudart", "CUDA runtime", "libcudart.so.13", "", 0},
#define CS_GPU_LIBRARY(name, title, stand_in, computes) {name, title, stand_in, "", 0},
#include "cusafe/gpu_libraries.inc"
};

/* The folder of this library, with its final slash. Returns -1 if it is not known. */
static int own_folder(char to[PATH_MAX]) {
  Dl_info self;
  if (!dladdr((void *)own_folder, &self) || strlen(self.dli_fname) >= PATH_MAX)
    return -1;
  strcpy(to, self.dli_fname);
  char *slash = strrchr(to, '/');
  if (!slash)
    return -1;
  slash[1] = 0;
  return 0;
}

unsigned la_version(unsigned version) {
  char folder[PATH_MAX];
  if (own_folder(folder) != 0)
    return 0;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++)
    if (libraries[i].file)
      snprintf(libraries[i].path, PATH_MAX, "%s%s", folder, libraries[i].file);
  return version;
}

/* What follows ".so" in the rest of a file's name: nothing, or numbers; NULL for another name. Tools that copy
 * libraries into wheels insert "-" and a hash. */
static const char *version_of(const char *rest) {
  enum { HASH_MIN = 8 };
  size_t hash = *rest == '-' ? strspn(rest + 1, "0123456789abcdef") : 0;
  if (hash >= HASH_MIN)
    rest += 1 + hash;
  if (strncmp(rest, ".so", 3) != 0 || strspn(rest + 3, ".0123456789") != strlen(rest + 3))
    return NULL;
  return rest + 3;
}

static struct library *find(const char *file, const char **version) {
  if (strncmp(file, "lib", 3) != 0)
    return NULL;
  for (size_t i = 0; i < sizeof libraries / sizeof *libraries; i++) {
    size_t length = strlen(libraries[i].name);
    if (strncmp(file + 3, libraries[i].name, length) == 0 && (*version = version_of(file + 3 + length)))
      return &libraries[i];
  }
  return NULL;
}

/* Whether a file with this version, ".13" or ".13.0.48" or none, is one that ours replaces. */
static int is_ours(const struct library *library, const char *version) {
  if (!library->file)
    return 0;
  const char *ours = strstr(library->file, ".so") + 3;
  size_t length = strlen(ours);
  return !*version || (strncmp(version, ours, length) == 0 && (!version[length] || version[length] == '.'));
}

static void report(struct library *library, const char *path) {
  char text[2 * PATH_MAX];
  if (library->is_reported++)
    return;
  const char *ours = library->file ? strrchr(library->path, '/') + 1 : "none";
  int length =
      snprintf(text, sizeof text,
               "cusafe: %s is not loaded: NVIDIA's %s requires NVIDIA's driver, and the CPU device has %s: %s\n", path,
               library->title, ours,
               library->file ? "use a package for CUDA 13." : "run this code on a GPU, or without the library.");
  (void)!write(STDERR_FILENO, text, (size_t)length);
}

/* The name is first what the program or the library asks for (LA_SER_ORIG), then each path where the linker looks. */
char *la_objsearch(const char *name, uintptr_t *cookie, unsigned flag) {
  (void)cookie;
  const char *slash = strrchr(name, '/'), *version = NULL;
  struct library *library = find(slash ? slash + 1 : name, &version);
  if (!library || (library->file && !*library->file)) /* no library of this list, or one that is left alone */
    return (char *)name;
  if (is_ours(library, version))
    return flag == LA_SER_ORIG ? library->path : (char *)name;
  if (!slash || access(name, F_OK) != 0)
    return (char *)name;
  report(library, name);
  return NULL;
}
