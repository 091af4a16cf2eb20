/* imitate.c: our runtime library with the driver calls of NVIDIA's: the same public calls, in the same order.
 *
 * CUSAFE_IMITATE=VERSION or VERSION:eager, where VERSION is the runtime's major version:
 *
 *   11   the module is loaded by other means, unseen by libraries between runtime and driver; cuModuleGetFunction
 *   12   cuLibraryLoadData of the wrapper; cuLibraryGetModule, cuModuleGetFunction
 *   13   cuLibraryLoadData of the wrapper; cuLibraryGetKernel; the CUkernel is launched
 *
 * Images are loaded at the first use of a kernel or variable; eager: 12 and 13 load all of them when the driver is
 * initialised, before there is a context, and 13 looks up their kernels then; 11 and 12 look up all kernels in each new
 * context. Resetting a device and the end of the process call the first editions of cuDevicePrimaryCtxReset and
 * cuDevicePrimaryCtxRelease.
 *
 * The sources of cpu/cudart are linked in: this file takes over the registration calls, which registration.c defines
 * under other names, and replaces entries of the table of driver calls. */
#include "cpu/cudart/driver.h"
#include "cpu/cudart/registration.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* registration.c's own, under the names that CMakeLists.txt gives them. */
void **imitated_RegisterFatBinary(void *wrapper);
void imitated_UnregisterFatBinary(void **handle);
void imitated_RegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                               uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp);

struct kernel {
  const void *host;
  const char *name;
  struct kernel *next;
};

struct image {
  const struct cs_fatbin_wrapper *wrapper;
  void **handle;
  CUlibrary library; /* NULL: not loaded; never with version 11 */
  struct kernel *kernels;
  struct image *next;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the images; never held during a driver call but a load */
static struct image *images;
static int version, eager;
static struct cs_cudart_driver below; /* the driver's own calls */

/* Calls that our runtime does not make. */
static PFN_cuKernelGetAttribute_v12000 kernel_get_attribute;
static CUresult (*private_load)(CUmodule *module, const void *image);

/* ---- registration ---- */

void **__cudaRegisterFatBinary(void *wrapper) {
  struct image *image = calloc(1, sizeof *image);
  void **handle = imitated_RegisterFatBinary(wrapper);
  if (!image)
    return handle;
  pthread_mutex_lock(&lock);
  *image = (struct image){.wrapper = wrapper, .handle = handle, .next = images};
  images = image;
  pthread_mutex_unlock(&lock);
  return handle;
}

static struct image *image_of(void **handle) {
  struct image *image = images;
  while (image && image->handle != handle)
    image = image->next;
  return image;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp) {
  struct kernel *kernel = calloc(1, sizeof *kernel);
  imitated_RegisterFunction(handle, host, device, name, thread_limit, tid, bid, block, grid, warp);
  pthread_mutex_lock(&lock);
  struct image *image = image_of(handle);
  if (image && kernel) {
    *kernel = (struct kernel){host, name, image->kernels};
    image->kernels = kernel;
  }
  pthread_mutex_unlock(&lock);
}

/* ---- images ---- */

static CUresult load_library(struct image *image) {
  if (image->library)
    return CUDA_SUCCESS;
  return below.LibraryLoadData(&image->library, image->wrapper, NULL, NULL, 0, NULL, NULL, 0);
}

/* Libraries that the program loads are not images. */
static CUresult load(CUlibrary *library, const void *data, CUjit_option *jit, void **jit_values, unsigned jit_count,
                     CUlibraryOption *options, void **values, unsigned count) {
  pthread_mutex_lock(&lock);
  struct image *image = images;
  while (image && image->wrapper->data != data)
    image = image->next;
  CUresult result = CUDA_SUCCESS;
  if (image && version > 11)
    result = load_library(image);
  if (image)
    *library = version == 11 ? (CUlibrary)image : image->library;
  pthread_mutex_unlock(&lock);
  return image ? result : below.LibraryLoadData(library, data, jit, jit_values, jit_count, options, values, count);
}

/* The image that our runtime has as this library. */
static struct image *image_of_library(CUlibrary library) {
  pthread_mutex_lock(&lock);
  struct image *image = images;
  while (image && (version == 11 ? (CUlibrary)image : image->library) != library)
    image = image->next;
  pthread_mutex_unlock(&lock);
  return image;
}

/* Version 13 has no module. */
static CUresult get_module(CUmodule *module, CUlibrary library) {
  const struct image *image = image_of_library(library);
  if (image && version == 11)
    return private_load(module, image->wrapper->data);
  if (!image || version == 12)
    return below.LibraryGetModule(module, library);
  *module = (CUmodule)library;
  return CUDA_SUCCESS;
}

/* The modules of version 11 end with their contexts. */
static CUresult unload(CUlibrary library) {
  struct image *image = image_of_library(library);
  if (image && version == 11)
    return CUDA_SUCCESS;
  if (image)
    image->library = NULL;
  return below.LibraryUnload(library);
}

static CUresult get_function(CUfunction *function, CUmodule module, const char *name) {
  return version < 13 ? below.ModuleGetFunction(function, module, name)
                      : below.LibraryGetKernel((CUkernel *)function, (CUlibrary)module, name);
}

static CUresult get_global(CUdeviceptr *address, size_t *bytes, CUmodule module, const char *name) {
  return version < 13 ? below.ModuleGetGlobal(address, bytes, module, name)
                      : below.LibraryGetGlobal(address, bytes, (CUlibrary)module, name);
}

/* ---- kernels of version 13 ---- */

/* The CUkernel that get_function returned for this CUfunction, or the function itself. */
static CUfunction kernel_of(CUfunction function) {
  CUfunction found = function, candidate;
  CUkernel kernel;
  pthread_mutex_lock(&lock);
  for (const struct image *image = images; image; image = image->next)
    for (const struct kernel *k = image->kernels; k && image->library; k = k->next)
      if (!below.LibraryGetKernel(&kernel, image->library, k->name) && !below.KernelGetFunction(&candidate, kernel) &&
          candidate == function)
        found = (CUfunction)kernel;
  pthread_mutex_unlock(&lock);
  return found;
}

static CUresult get_node_parameters(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS *params) {
  CUresult result = below.GraphKernelNodeGetParams(node, params);
  if (result == CUDA_SUCCESS && params->func)
    params->func = kernel_of(params->func);
  return result;
}

static CUresult get_attribute(int *value, CUfunction_attribute attribute, CUfunction handle) {
  CUfunction function;
  CUdevice device;
  if (below.KernelGetFunction(&function, (CUkernel)handle) != CUDA_SUCCESS) /* a function that the program looked up */
    return below.FuncGetAttribute(value, attribute, handle);
  CUresult result = below.CtxGetDevice(&device);
  return result == CUDA_SUCCESS ? kernel_get_attribute(value, attribute, (CUkernel)handle, device) : result;
}

/* ---- the driver ---- */

static void *find(const char *name, int wanted) {
  void *function = NULL;
  CUdriverProcAddressQueryResult status;
  return below.GetProcAddress(name, &function, wanted, CU_GET_PROC_ADDRESS_LEGACY_STREAM, &status) ? NULL : function;
}

/* Represents a private table of the driver: libcusafe does not see the call, because it leaves a lookup with RTLD_NEXT
 * alone. */
static void *find_unseen(const char *name) {
  dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  return dlsym(RTLD_NEXT, name);
}

static void load_eagerly(void) {
  CUkernel kernel;
  pthread_mutex_lock(&lock);
  for (struct image *image = images; image; image = image->next)
    if (load_library(image) == CUDA_SUCCESS && version >= 13)
      for (const struct kernel *k = image->kernels; k; k = k->next)
        below.LibraryGetKernel(&kernel, image->library, k->name);
  pthread_mutex_unlock(&lock);
}

static void require(int condition, const char *what) {
  if (condition)
    return;
  fprintf(stderr, "imitator: %s\n", what);
  abort();
}

static void begin(void) {
  const char *mode = getenv("CUSAFE_IMITATE");
  require(mode != NULL, "CUSAFE_IMITATE is not set");
  version = atoi(mode);
  eager = strstr(mode, ":eager") != NULL;
  require(version >= 11 && version <= 13, "CUSAFE_IMITATE names no version from 11 to 13");
  below = cs_cudart_cu;
  *(void **)&private_load = find_unseen("cuModuleLoadData");
  require(private_load != NULL, "the driver's own cuModuleLoadData was not found");
  *(void **)&kernel_get_attribute = find("cuKernelGetAttribute", 12000);
  *(void **)&cs_cudart_cu.DevicePrimaryCtxReset = find("cuDevicePrimaryCtxReset", 7000);
  *(void **)&cs_cudart_cu.DevicePrimaryCtxRelease = find("cuDevicePrimaryCtxRelease", 7000);
  cs_cudart_cu.LibraryLoadData = load;
  cs_cudart_cu.LibraryGetModule = get_module;
  cs_cudart_cu.LibraryUnload = unload;
  cs_cudart_cu.ModuleGetFunction = get_function;
  cs_cudart_cu.ModuleGetGlobal = get_global;
  if (version >= 13) {
    cs_cudart_cu.FuncGetAttribute = get_attribute;
    cs_cudart_cu.GraphKernelNodeGetParams = get_node_parameters;
  }
  if (eager && version >= 12)
    load_eagerly();
}

/* The linker leads all calls of these here. */
cudaError_t __real_cs_cudart_driver_ready(void);
cudaError_t __wrap_cs_cudart_driver_ready(void);
cudaError_t __real_cs_cudart_enter(struct cs_cudart_context **context);
cudaError_t __wrap_cs_cudart_enter(struct cs_cudart_context **context);
cudaError_t __wrap_cs_cudart_load_modules(struct cs_cudart_context *context);

/* Our runtime loads all images before a capture begins; NVIDIA's loads inside it, at the first use. */
cudaError_t __wrap_cs_cudart_load_modules(struct cs_cudart_context *context) {
  (void)context;
  return cudaSuccess;
}

cudaError_t __wrap_cs_cudart_driver_ready(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  cudaError_t error = __real_cs_cudart_driver_ready();
  if (error == cudaSuccess)
    pthread_once(&once, begin);
  return error;
}

cudaError_t __wrap_cs_cudart_enter(struct cs_cudart_context **context) {
  CUfunction function;
  cudaError_t error = __wrap_cs_cudart_driver_ready();
  if (error == cudaSuccess)
    error = __real_cs_cudart_enter(context);
  if (error != cudaSuccess || !eager || version > 12 || (*context)->loaded)
    return error;
  for (const struct image *image = images; image; image = image->next)
    for (const struct kernel *k = image->kernels; k; k = k->next)
      cs_cudart_function(k->host, *context, &function);
  return error;
}

/* At the end of the process the last image takes the primary contexts with it. */
static void release_all(void) {
  int count = 0, active;
  unsigned flags;
  if (!version || below.DeviceGetCount(&count))
    return;
  for (CUdevice device = 0; device < count; device++)
    if (!below.DevicePrimaryCtxGetState(device, &flags, &active) && active)
      cs_cudart_cu.DevicePrimaryCtxRelease(device);
}

void __cudaUnregisterFatBinary(void **handle) {
  imitated_UnregisterFatBinary(handle);
  pthread_mutex_lock(&lock);
  struct image **slot = &images;
  while (*slot && (*slot)->handle != handle)
    slot = &(*slot)->next;
  if (*slot)
    *slot = (*slot)->next; /* its record is left to the process's end */
  int was_last = !images;
  pthread_mutex_unlock(&lock);
  if (was_last && cs_cudart_exiting())
    release_all();
}
