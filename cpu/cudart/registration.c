/* registration.c: the device images, kernels and variables that programs register, and loading them into each context
 * on first use. */
#include "cpu/cudart/registration.h"

#include "cpu/cudart/checker.h"
#include "cpu/cudart/library.h"
#include "cpu/cudart/map.h"
#include "cpu/cudart/pin.h"
#include <pthread.h>
#include <stdlib.h>

/* One registered image: a library of the driver, which has a module in each context that uses it. Numbered, and never
 * freed, so that a context can keep its modules in an array. */
struct binary {
  const void *image; /* what the driver loads; NULL if the wrapper has another magic number, or is unregistered */
  CUlibrary library; /* NULL: not loaded yet */
  size_t number;
  struct object *objects;
  struct binary *next; /* in the list of those to unload */
};

/* A kernel or a variable. The strings belong to the program and live until it unregisters the binary. */
struct object {
  const void *host;
  const char *name;
  struct binary *binary;
  size_t number;   /* kernels only: the index in cs_cudart_loaded.functions */
  CUkernel kernel; /* kernels only: the handle, once the program has asked for it */
  void **managed;  /* managed variables: the program's pointer to the variable */
  int is_function; /* else a variable */
  int is_handle;   /* kernels only: the program has this record's address */
  int is_constant; /* __constant__ variables */
  struct object *next;
};

/* What one context has loaded. Grown on demand; NULL: not loaded yet. */
struct cs_cudart_loaded {
  CUmodule *modules;
  CUfunction *functions;
  size_t module_count, function_count;
};

/* Programs register and unregister inside dlopen and dlclose, so the loader's lock comes before every other. A thread
 * that holds a lock of the engine or `loading` may call the loader: the engine does when it compiles. Therefore
 * registering and unregistering take only `lock`, under which no driver and no loader is called, and leave what needs
 * the driver to the next load. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER; /* held while a module loads, so that it is loaded once */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;    /* the tables below, and every context's cs_cudart_loaded */
static struct binary **binaries;
static size_t binary_count, function_count;
static struct cs_cudart_map functions, variables;
static struct binary *unregistered;       /* whose libraries the driver still has */
static unsigned long long ended_contexts; /* what was loaded in one that has ended must not be kept */

void **__cudaRegisterFatBinary(void *data) {
  const struct cs_fatbin_wrapper *wrapper = data;
  struct binary *binary = calloc(1, sizeof *binary);
  if (!binary)
    return NULL;
  if (wrapper && wrapper->magic == CS_FATBIN_WRAPPER_MAGIC) {
    cs_cudart_require_checker(wrapper->data);
    binary->image = wrapper->version == CS_FATBIN_WRAPPER_LINKED ? data : wrapper->data;
  }
  pthread_mutex_lock(&lock);
  struct binary **grown = realloc(binaries, (binary_count + 1) * sizeof(struct binary *));
  if (grown) {
    binaries = grown;
    binary->number = binary_count;
    binaries[binary_count++] = binary;
  }
  pthread_mutex_unlock(&lock);
  if (grown)
    return (void **)binary;
  free(binary);
  return NULL;
}

void __cudaRegisterFatBinaryEnd(void **handle) {
  (void)handle; /* images are loaded on first use */
}

static struct object *add(void **handle, struct cs_cudart_map *map, const void *host, const char *name) {
  struct binary *binary = (struct binary *)handle;
  struct object *object = binary ? calloc(1, sizeof *object) : NULL;
  if (!object)
    return NULL; /* out of memory before main: the launch will report an unknown function */
  object->host = host;
  object->name = name;
  object->binary = binary;
  object->is_function = map == &functions;
  object->next = binary->objects;
  binary->objects = object;
  if (object->is_function)
    object->number = function_count++;
  cs_cudart_map_put(map, host, object);
  return object;
}

void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp) {
  (void)device, (void)thread_limit, (void)tid, (void)bid, (void)block, (void)grid, (void)warp;
  pthread_mutex_lock(&lock);
  add(handle, &functions, host, name);
  pthread_mutex_unlock(&lock);
}

void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global) {
  (void)device, (void)ext, (void)size, (void)global;
  pthread_mutex_lock(&lock);
  struct object *object = add(handle, &variables, host, name);
  if (object)
    object->is_constant = constant;
  pthread_mutex_unlock(&lock);
}

void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global) {
  (void)device, (void)ext, (void)size, (void)constant, (void)global;
  pthread_mutex_lock(&lock);
  struct object *object = add(handle, &variables, host, name);
  if (object)
    object->managed = host;
  pthread_mutex_unlock(&lock);
}

/* These run before main, so they must not leave an error for the program's first cudaGetLastError. */
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim, int norm,
                           int ext) {
  (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)norm, (void)ext;
  cs_cudart_print_unsupported("a texture reference");
}

void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext) {
  (void)handle, (void)host, (void)device, (void)name, (void)dim, (void)ext;
  cs_cudart_print_unsupported("a surface reference");
}

static int reserve(void **array, size_t *count, size_t wanted, size_t element) {
  if (wanted <= *count)
    return 0;
  char *grown = realloc(*array, wanted * element);
  if (!grown)
    return -1;
  for (size_t i = *count * element; i < wanted * element; i++)
    grown[i] = 0;
  *array = grown;
  *count = wanted;
  return 0;
}

static void forget_modules(struct cs_cudart_context *context) {
  pthread_mutex_lock(&lock);
  ended_contexts++;
  if (context->loaded) {
    free(context->loaded->modules);
    free(context->loaded->functions);
    free(context->loaded);
    context->loaded = NULL;
  }
  pthread_mutex_unlock(&lock);
}

/* Under the lock. */
static struct cs_cudart_loaded *loaded_in(struct cs_cudart_context *context) {
  if (!context->loaded) {
    context->loaded = calloc(1, sizeof *context->loaded);
    context->ended = forget_modules;
  }
  struct cs_cudart_loaded *loaded = context->loaded;
  if (!loaded || reserve((void **)&loaded->modules, &loaded->module_count, binary_count, sizeof(CUmodule)) ||
      reserve((void **)&loaded->functions, &loaded->function_count, function_count, sizeof(CUfunction)))
    return NULL;
  return loaded;
}

/* --- Loading --- */

static CUlibrary next_unregistered(void) {
  pthread_mutex_lock(&lock);
  struct binary *binary = unregistered;
  CUlibrary library = binary ? binary->library : NULL;
  if (binary) {
    unregistered = binary->next;
    binary->library = NULL;
  }
  pthread_mutex_unlock(&lock);
  return library;
}

static void start_loading(void) {
  for (CUlibrary library; (library = next_unregistered());)
    CU(LibraryUnload, library);
  pthread_mutex_lock(&loading);
}

static void end_loading(void) {
  pthread_mutex_unlock(&loading);
}

/* A copy of the registered object, without which there is nothing to use. */
static int find(const struct cs_cudart_map *map, const void *host, struct object *copy) {
  pthread_mutex_lock(&lock);
  const struct object *object = cs_cudart_map_get(map, host);
  if (object)
    *copy = *object;
  pthread_mutex_unlock(&lock);
  return object != NULL;
}

/* The managed variable of this index in its binary. */
static int find_managed(const struct binary *binary, size_t index, struct object *copy) {
  pthread_mutex_lock(&lock);
  const struct object *object = binary->objects;
  for (; object; object = object->next)
    if (object->managed && index-- == 0)
      break;
  if (object)
    *copy = *object;
  pthread_mutex_unlock(&lock);
  return object != NULL;
}

/* A managed variable has one address for host and device, which the module determines. */
static cudaError_t publish_managed(const struct binary *binary, CUmodule module) {
  struct object object;
  for (size_t i = 0; find_managed(binary, i, &object); i++) {
    CUdeviceptr address;
    cudaError_t error = cs_cudart_error(CU(ModuleGetGlobal, &address, NULL, module, object.name));
    if (error != cudaSuccess)
      return error;
    *object.managed = (void *)address;
  }
  return cudaSuccess;
}

/* Under loading. */
static cudaError_t load(struct binary *binary, CUlibrary *library) {
  pthread_mutex_lock(&lock);
  const void *image = binary->image;
  *library = binary->library;
  pthread_mutex_unlock(&lock);
  if (!image)
    return cudaErrorInvalidKernelImage;
  if (*library)
    return cudaSuccess;
  cudaError_t error = cs_cudart_error(CU(LibraryLoadData, library, image, NULL, NULL, 0, NULL, NULL, 0));
  pthread_mutex_lock(&lock);
  if (error == cudaSuccess)
    binary->library = *library;
  pthread_mutex_unlock(&lock);
  return error;
}

/* Under loading. */
static cudaError_t load_module(struct binary *binary, CUmodule *module) {
  CUlibrary library;
  cudaError_t error = load(binary, &library);
  if (error == cudaSuccess)
    error = cs_cudart_error(CU(LibraryGetModule, module, library));
  return error == cudaSuccess ? publish_managed(binary, *module) : error;
}

/* The module if it is loaded, else NULL. */
static cudaError_t loaded_module(const struct binary *binary, struct cs_cudart_context *context, CUmodule *module,
                                 unsigned long long *contexts) {
  pthread_mutex_lock(&lock);
  const struct cs_cudart_loaded *loaded = loaded_in(context);
  *module = loaded ? loaded->modules[binary->number] : NULL;
  *contexts = ended_contexts;
  pthread_mutex_unlock(&lock);
  return loaded ? cudaSuccess : cudaErrorMemoryAllocation;
}

static void keep_module(const struct binary *binary, struct cs_cudart_context *context, CUmodule module,
                        unsigned long long contexts) {
  pthread_mutex_lock(&lock);
  struct cs_cudart_loaded *loaded = loaded_in(context);
  if (loaded && contexts == ended_contexts)
    loaded->modules[binary->number] = module;
  pthread_mutex_unlock(&lock);
}

static cudaError_t module_of(struct binary *binary, struct cs_cudart_context *context, CUmodule *module) {
  unsigned long long contexts;
  cudaError_t error = loaded_module(binary, context, module, &contexts);
  if (error != cudaSuccess || *module)
    return error;
  start_loading();
  error = loaded_module(binary, context, module, &contexts); /* another thread may have loaded it */
  if (error == cudaSuccess && !*module) {
    error = load_module(binary, module);
    if (error == cudaSuccess)
      keep_module(binary, context, *module, contexts);
  }
  end_loading();
  return error;
}

static void keep_function(const struct object *object, struct cs_cudart_context *context, CUfunction function,
                          unsigned long long contexts) {
  pthread_mutex_lock(&lock);
  struct cs_cudart_loaded *loaded = loaded_in(context);
  if (loaded && contexts == ended_contexts)
    loaded->functions[object->number] = function;
  pthread_mutex_unlock(&lock);
}

static cudaError_t load_function(const struct object *object, struct cs_cudart_context *context,
                                 unsigned long long contexts, CUfunction *function) {
  CUmodule module;
  cudaError_t error = module_of(object->binary, context, &module);
  if (error != cudaSuccess)
    return error;
  CUresult result = CU(ModuleGetFunction, function, module, object->name);
  if (result == CUDA_SUCCESS)
    keep_function(object, context, *function, contexts);
  return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : cs_cudart_error(result);
}

static unsigned long long refusals(void) {
  return cs_cudart_refusals ? cs_cudart_refusals() : 0;
}

static cudaError_t registered_function(const void *host, struct cs_cudart_context *context, CUfunction *function) {
  struct object copy;
  pthread_mutex_lock(&lock);
  const struct cs_cudart_loaded *loaded = context->loaded;
  const struct object *object = cs_cudart_map_get(&functions, host);
  unsigned long long contexts = ended_contexts;
  if (object)
    copy = *object;
  *function = object && loaded && object->number < loaded->function_count ? loaded->functions[object->number] : NULL;
  pthread_mutex_unlock(&lock);
  if (!object)
    return cudaErrorInvalidDeviceFunction;
  return *function ? cudaSuccess : load_function(&copy, context, contexts, function);
}

cudaError_t cs_cudart_function(const void *host, struct cs_cudart_context *context, CUfunction *function) {
  cudaError_t error = registered_function(host, context, function);
  if (error == cudaErrorInvalidDeviceFunction && cs_cudart_is_library_kernel(host))
    error = cs_cudart_error(CU(KernelGetFunction, function, (CUkernel)host));
  return error;
}

cudaError_t cs_cudart_launched_function(const void *host, struct cs_cudart_context *context, CUfunction *function) {
  unsigned long long before = refusals();
  cudaError_t error = cs_cudart_function(host, context, function);
  const char *name = error != cudaSuccess && refusals() != before ? cs_cudart_function_name(host) : NULL;
  if (name && cs_cudart_launch_refused)
    cs_cudart_launch_refused(name);
  return error;
}

cudaError_t cs_cudart_variable(const void *host, struct cs_cudart_context *context, CUdeviceptr *address,
                               size_t *size) {
  struct object object;
  CUmodule module;
  if (!find(&variables, host, &object))
    return cudaErrorInvalidSymbol;
  cudaError_t error = module_of(object.binary, context, &module);
  if (error != cudaSuccess)
    return error;
  CUresult result = CU(ModuleGetGlobal, address, size, module, object.name);
  return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidSymbol : cs_cudart_error(result);
}

const char *cs_cudart_function_name(const void *host) {
  pthread_mutex_lock(&lock);
  const struct object *object = cs_cudart_map_get(&functions, host);
  pthread_mutex_unlock(&lock);
  return object ? object->name : NULL;
}

const char *cs_cudart_variable_name(const void *host, int *is_constant) {
  pthread_mutex_lock(&lock);
  const struct object *object = cs_cudart_map_get(&variables, host);
  *is_constant = object && object->is_constant;
  pthread_mutex_unlock(&lock);
  return object ? object->name : NULL;
}

/* A linear search: only queries of graph nodes call this. */
const void *cs_cudart_host_function(CUfunction function) {
  const void *found = function;
  struct cs_cudart_context *context;
  if (cs_cudart_enter(&context) != cudaSuccess)
    return found;
  pthread_mutex_lock(&lock);
  const struct cs_cudart_loaded *loaded = context->loaded;
  for (size_t i = 0; loaded && i < binary_count; i++)
    for (const struct object *object = binaries[i]->objects; object; object = object->next)
      if (object->is_function && object->number < loaded->function_count &&
          loaded->functions[object->number] == function)
        found = object->host;
  pthread_mutex_unlock(&lock);
  return found;
}

/* Returns whether there is a binary of this number. *image: NULL if there is nothing to load. */
static int image_of(size_t number, const struct cs_cudart_context *context, struct binary **binary,
                    const void **image) {
  pthread_mutex_lock(&lock);
  const struct cs_cudart_loaded *loaded = context->loaded;
  int exists = number < binary_count;
  *binary = exists ? binaries[number] : NULL;
  *image =
      exists && !(loaded && number < loaded->module_count && loaded->modules[number]) ? binaries[number]->image : NULL;
  pthread_mutex_unlock(&lock);
  return exists;
}

static void loads_ahead(int on) {
  if (cs_cudart_loads_ahead)
    cs_cudart_loads_ahead(on);
}

/* Another thread may close the library of an image meanwhile. */
void cs_cudart_load_modules(struct cs_cudart_context *context) {
  struct binary *binary;
  const void *image;
  CUmodule module;
  loads_ahead(1);
  for (size_t i = 0; image_of(i, context, &binary, &image); i++) {
    if (!image)
      continue;
    void *library = cs_cudart_pin(image);
    image_of(i, context, &binary, &image);
    if (image)
      module_of(binary, context, &module); /* an error is reported where the binary is used */
    cs_cudart_unpin(library);
  }
  loads_ahead(0);
}

/* Programs built with nvcc call this before they access a managed variable. */
char __cudaInitModule(void **handle) {
  struct cs_cudart_context *context;
  struct binary *binary = (struct binary *)handle;
  if (!binary || cs_cudart_fail(cs_cudart_enter(&context)) != cudaSuccess)
    return 0;
  CUmodule module;
  return cs_cudart_fail(module_of(binary, context, &module)) == cudaSuccess;
}

/* The map also contains the handle, so that every call that takes a host function accepts it. */
static cudaError_t keep_kernel(const void *host, CUkernel kernel) {
  pthread_mutex_lock(&lock);
  struct object *object = cs_cudart_map_get(&functions, host);
  cudaError_t error = object ? cudaSuccess : cudaErrorInvalidDeviceFunction;
  if (object && cs_cudart_map_put(&functions, kernel, object))
    error = cudaErrorMemoryAllocation;
  if (error == cudaSuccess)
    object->kernel = kernel;
  pthread_mutex_unlock(&lock);
  return error;
}

static cudaError_t load_kernel(const struct object *object, CUkernel *kernel) {
  CUlibrary library;
  start_loading();
  cudaError_t error = load(object->binary, &library);
  end_loading();
  if (error != cudaSuccess)
    return error;
  CUresult result = CU(LibraryGetKernel, kernel, library, object->name);
  return result == CUDA_ERROR_NOT_FOUND ? cudaErrorInvalidDeviceFunction : cs_cudart_error(result);
}

static cudaError_t kernel_of(const void *host, CUkernel *kernel) {
  struct object object;
  if (!find(&functions, host, &object))
    return cudaErrorInvalidDeviceFunction;
  *kernel = object.kernel;
  if (*kernel)
    return cudaSuccess;
  cudaError_t error = load_kernel(&object, kernel);
  return error == cudaSuccess ? keep_kernel(host, *kernel) : error;
}

/* The driver's calls accept the handle, too. */
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  CS_CUDART_CHECK(kernel);
  CUkernel found = NULL;
  cudaError_t error = cs_cudart_driver_ready();
  if (error == cudaSuccess)
    error = kernel_of(host, &found);
  if (error == cudaSuccess)
    *kernel = (cudaKernel_t)found;
  return cs_cudart_fail(error);
}

/* Only code that nvcc writes around a launch calls this, once for each launch in the source; the launch reports what
 * cannot be loaded. The handle is the address of the kernel's record. */
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  CS_CUDART_CHECK(kernel);
  pthread_mutex_lock(&lock);
  struct object *object = cs_cudart_map_get(&functions, host);
  cudaError_t error = object ? cudaSuccess : cudaErrorInvalidDeviceFunction;
  if (object && cs_cudart_map_put(&functions, object, object))
    error = cudaErrorMemoryAllocation;
  if (error == cudaSuccess)
    object->is_handle = 1;
  pthread_mutex_unlock(&lock);
  if (error == cudaSuccess)
    *kernel = (cudaKernel_t)object;
  return cs_cudart_fail(error);
}

/* --- Unregistering --- */

/* Kernels of several binaries (templates) must survive the one that is unregistered, so the tables are rebuilt. */
static void rebuild_tables(void) {
  cs_cudart_map_clear(&functions);
  cs_cudart_map_clear(&variables);
  for (size_t i = 0; i < binary_count; i++)
    for (struct object *object = binaries[i]->objects; object; object = object->next) {
      cs_cudart_map_put(object->is_function ? &functions : &variables, object->host, object);
      if (object->kernel)
        cs_cudart_map_put(&functions, object->kernel, object);
      if (object->is_handle)
        cs_cudart_map_put(&functions, object, object);
    }
}

static void forget_objects(struct binary *binary) {
  struct object *object = binary->objects;
  while (object) {
    struct object *next = object->next;
    free(object);
    object = next;
  }
  binary->objects = NULL;
}

/* The next load unloads the library: that waits for kernels, and takes locks of the driver and of the engine. */
void __cudaUnregisterFatBinary(void **handle) {
  struct binary *binary = (struct binary *)handle;
  if (!binary || cs_cudart_exiting())
    return; /* at exit the driver unloads the libraries, if it still exists */
  pthread_mutex_lock(&lock);
  binary->image = NULL;
  forget_objects(binary);
  rebuild_tables();
  if (binary->library) {
    binary->next = unregistered;
    unregistered = binary;
  }
  pthread_mutex_unlock(&lock);
}
