/* nvidia.c: finds NVIDIA's run-time compilers and libraries that the process has loaded. */
#include "host/collect/nvidia.h"
#include "host/base/loader.h"
#include "host/base/messages.h"
#include <dlfcn.h>
#include <link.h>
#include <string.h>

static struct {
  const char *file;    /* how its file's name begins */
  const char *product; /* its name in documents */
  void *handle;        /* set once, without a lock: threads get here from constructors, under the loader's own */
} libraries[] = {{"libnvrtc.", "NVRTC", NULL},       {"libnvJitLink.", "nvJitLink", NULL},
                 {"libcublas.", "cuBLAS", NULL},     {"libcublasLt.", "cuBLASLt", NULL},
                 {"libcufft.", "cuFFT", NULL},       {"libcurand.", "cuRAND", NULL},
                 {"libcusparse.", "cuSPARSE", NULL}, {"libcusolver.", "cuSOLVER", NULL}};
_Static_assert(sizeof libraries / sizeof *libraries == CS_HOST_NVIDIA_LIBRARIES, "one file for each library");

static void *open_loaded(const char *path) {
  return dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
}

struct search {
  const char *file;
  void *handle;
};

static int is_wanted(struct dl_phdr_info *info, size_t size, void *data) {
  (void)size;
  struct search *search = data;
  const char *slash = strrchr(info->dlpi_name, '/');
  if (!slash || strncmp(slash + 1, search->file, strlen(search->file)) != 0)
    return 0;
  search->handle = open_loaded(info->dlpi_name);
  return search->handle != NULL;
}

/* A program that is linked with the library calls CuSafe's function before any lookup by name. The library may be
 * outside the global scope, where RTLD_NEXT would find it. */
static void *find_loaded(const char *file) {
  struct search search = {file, NULL};
  dl_iterate_phdr(is_wanted, &search);
  return search.handle;
}

/* The library of this kind: this one, unless there is one already. */
static void *settle(enum cs_host_nvidia library, void *handle) {
  void *settled = NULL;
  return __atomic_compare_exchange_n(&libraries[library].handle, &settled, handle, 0, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)
             ? handle
             : settled;
}

int cs_host_nvidia_has(enum cs_host_nvidia library, void *function) {
  Dl_info info;
  void *handle = dladdr(function, &info) ? open_loaded(info.dli_fname) : NULL;
  if (handle && settle(library, handle) == handle)
    return 1;
  cs_host_message_once(
      1, "the program uses a second run-time compiler or library of one kind; CuSafe leaves its calls alone");
  return 0;
}

void *cs_host_nvidia_function(enum cs_host_nvidia library, const char *name) {
  void *handle = __atomic_load_n(&libraries[library].handle, __ATOMIC_ACQUIRE);
  if (!handle)
    handle = settle(library, find_loaded(libraries[library].file));
  return handle ? cs_host_real_dlsym(handle, name) : NULL;
}

void *cs_host_nvidia_function_once(enum cs_host_nvidia library, const char *name, void **slot) {
  void *found = __atomic_load_n(slot, __ATOMIC_ACQUIRE);
  if (!found) {
    found = cs_host_nvidia_function(library, name);
    __atomic_store_n(slot, found, __ATOMIC_RELEASE);
  }
  return found;
}

int cs_host_nvidia_missing(enum cs_host_nvidia library, const char *name, int result) {
  const char *product = libraries[library].product;
  cs_host_message_once(0,
                       "the program calls %s, but has loaded no %s with that function: the call fails with error %d. "
                       "NVIDIA provides %s for GPUs only; link the program with its shared library and run it on a GPU",
                       name, product, result, product);
  return result;
}
