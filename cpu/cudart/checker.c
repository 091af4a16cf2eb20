/* checker.c: loads libcusafe when a checked module registers in a process without it. Another linker than `cusafe cc`
 * may have dropped it, because no object refers to it, and then the program would run unchecked. */
#include "cpu/cudart/checker.h"
#include "cusafe/image.h"
#include "cusafe/init.h"
#include "report/print.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static atomic_int decided; /* 1: the driver's calls were resolved without libcusafe */

void *cs_cudart_checker(void) {
  return dlopen(CUSAFE_SONAME, RTLD_LAZY | RTLD_NOLOAD);
}

void cs_cudart_checker_decided(void) {
  if (!cs_cudart_checker())
    atomic_store(&decided, 1);
}

/* libcusafe of the same installation: this library is in its folder's cusafe/cpu. */
static void *load(void) {
  Dl_info self;
  char path[PATH_MAX];
  if (!dladdr((void *)load, &self) || !self.dli_fname)
    return NULL;
  const char *slash = strrchr(self.dli_fname, '/');
  int length = snprintf(path, sizeof path, "%.*s/../../" CUSAFE_SONAME, slash ? (int)(slash - self.dli_fname) : 1,
                        slash ? self.dli_fname : ".");
  return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_NOW) : NULL;
}

/* Before the program allocates. */
static void expect(const struct cs_image *header) {
  union {
    void *symbol;
    void (*call)(void);
  } found = {header->checked & CS_IMAGE_INIT ? dlsym(cs_cudart_checker(), CS_INIT_EXPECT) : NULL};
  if (found.symbol)
    found.call();
}

static void refuse(void) {
  const char *reason = dlerror();
  cs_report_print(
      stderr,
      "cusafe: this program's kernels are checked, and the library that reports their errors cannot be loaded (%s): "
      "reinstall CuSafe, or start the program with 'cusafe run'.\n",
      reason ? reason : CUSAFE_SONAME);
  _exit(1);
}

/* Without a refusal: what libcusafe does not see is not checked, and the program is right otherwise. */
static void print_unseen(const char *what) {
  static atomic_int printed;
  if (!atomic_exchange(&printed, 1))
    cs_report_print(stderr, "cusafe: %s: start the program with 'cusafe run', or link it with 'cusafe cc'.\n", what);
}

void cs_cudart_require_checker(const void *image) {
  const struct cs_image *header = image;
  if (!image || header->magic != CS_IMAGE_MAGIC || !header->checked)
    return;
  if (atomic_load(&decided)) {
    print_unseen("checked kernels were loaded after the program's first CUDA call, so they are not checked");
    return;
  }
  if (cs_cudart_checker()) {
    expect(header);
    return;
  }
  if (!load())
    refuse();
  expect(header);
  if (dlsym(RTLD_DEFAULT, "cuInit")) /* a driver that precedes libcusafe */
    print_unseen(
        "this program is linked with the driver but not with libcusafe, so its own driver calls are not checked");
}
