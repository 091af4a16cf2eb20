/* toolkit.c: recognises headers of the toolkit, the compiler, the system and PyTorch, and Python's packages, by their
 * paths. */
#include "report/toolkit.h"
#include <ctype.h>
#include <string.h>

static int starts_with(const char *text, const char *start) {
  return strncmp(text, start, strlen(start)) == 0;
}

static int is_digit(char c) {
  return isdigit((unsigned char)c) != 0;
}

/* Installation prefixes of packages. */
static int is_system(const char *file) {
  static const char *const folders[] = {"/usr/include/", "/usr/local/include/", "/usr/lib/gcc/", "/opt/cuda/include/",
                                        "/usr/local/cuda/include/"};
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
    if (starts_with(file, folders[i]))
      return 1;
  return 0;
}

static int has_any(const char *file, const char *const *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (strstr(file, parts[i]))
      return 1;
  return 0;
}

/* Folder sequences that are unique to a project, wherever it is installed: a sysroot, the C++ library, CCCL in a
 * toolkit, CCCL as a checkout, the toolkit's wheels, PyTorch's headers. */
static int has_landmark(const char *file) {
  static const char *const landmarks[] = {
      "/sysroot/usr/include/",         "/include/c++/",     "/include/cccl/",
      "/libcudacxx/include/",          "/cub/cub/",         "/thrust/thrust/",
      "/site-packages/nvidia/",        "/include/cusafe/",  "/site-packages/torch/include/",
      "/dist-packages/torch/include/", "/libtorch/include/"};
  return has_any(file, landmarks, sizeof landmarks / sizeof *landmarks);
}

/* The folder at `part`, with `rest` after it: "cuda-13.0/include/". */
static int is_versioned_toolkit(const char *part) {
  const char *version = part + strlen("cuda-");
  if (!starts_with(part, "cuda-") || !is_digit(*version))
    return 0;
  return starts_with(version + strspn(version, "0123456789."), "/include/");
}

/* "targets/x86_64-linux/include/" */
static int is_target(const char *part) {
  static const char head[] = "targets/", tail[] = "-linux/include/";
  const char *slash = starts_with(part, head) ? strchr(part + strlen(head), '/') : NULL;
  size_t stem = strlen("-linux");
  return slash && slash - part >= (long)(strlen(head) + stem) && starts_with(slash - stem, tail);
}

/* "clang/22/include/": clang's resource directory. */
static int is_clang(const char *part) {
  static const char head[] = "clang/";
  if (!starts_with(part, head) || !is_digit(part[strlen(head)]))
    return 0;
  const char *slash = strchr(part + strlen(head), '/');
  return slash && starts_with(slash, "/include/");
}

int cs_report_is_toolkit(const char *file) {
  if (is_system(file) || has_landmark(file))
    return 1;
  for (const char *slash = strchr(file, '/'); slash; slash = strchr(slash + 1, '/'))
    if (is_versioned_toolkit(slash + 1) || is_target(slash + 1) || is_clang(slash + 1) ||
        strcmp(slash + 1, "cusafe_nvcc.h") == 0)
      return 1;
  return 0;
}

/* "<frozen ...>" is a module that the interpreter contains. */
int cs_report_is_python_package(const char *file) {
  static const char *const folders[] = {"/site-packages/", "/dist-packages/", "/lib/python3.", "/lib64/python3."};
  return starts_with(file, "<frozen ") || has_any(file, folders, sizeof folders / sizeof *folders);
}
