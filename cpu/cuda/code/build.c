/* build.c: compiles the code of modules and functions on first use, and locates their variables. */
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cusafe/image.h"
#include "report/print.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- variables --- */

/* Under module->lock: the program of the variables, if there is one. */
static CUresult build(struct cs_cpu_loaded_module *module) {
  if (module->program || module->build_error != CUDA_SUCCESS || !module->image->spirv_bytes)
    return module->build_error;
  const struct cs_image *image = module->image;
  module->build_error =
      cs_cpu_engine_build((const char *)image + image->spirv_offset, image->spirv_bytes, 0, NULL, &module->program);
  return module->build_error;
}

static const char *name_of(const struct cs_cpu_loaded_module *module, uint32_t global) {
  return cs_cpu_image_string(module->image, cs_cpu_image_globals(module->image)[global].name);
}
static int is_external(const struct cs_cpu_loaded_module *module, uint32_t global) {
  return (cs_cpu_image_globals(module->image)[global].flags & CS_GLOBAL_EXTERNAL) != 0;
}

/* Under module->lock: the addresses of variables that the whole defines. */
static CUresult link(const struct cs_cpu_loaded_module *module, uint64_t *addresses) {
  for (uint32_t i = 0; i < module->image->global_count; i++) {
    CUdeviceptr address;
    if (!is_external(module, i))
      continue;
    CUresult result =
        module->whole ? cs_cpu_module_global(module->whole, name_of(module, i), &address, NULL) : CUDA_ERROR_NOT_FOUND;
    if (result == CUDA_ERROR_NOT_FOUND)
      cs_report_print(stderr, "cusafe: a kernel needs the variable %s, which no module defines.\n", name_of(module, i));
    if (result != CUDA_SUCCESS)
      return result;
    addresses[i] = address;
  }
  return CUDA_SUCCESS;
}

/* Under module->lock: runs the module's own kernel that stores the addresses of its variables. */
static CUresult locate(const struct cs_cpu_loaded_module *module, uint64_t *addresses) {
  CUresult failed = atomic_load(&module->context->device->failed);
  if (failed == CUDA_SUCCESS)
    failed = link(module, addresses);
  return failed != CUDA_SUCCESS ? failed : cs_cpu_engine_globals(module->program, addresses);
}

/* Under module->lock. */
static CUresult load_globals(struct cs_cpu_loaded_module *module) {
  uint32_t count = module->image->global_count;
  CUresult result = build(module);
  if (result != CUDA_SUCCESS || module->globals)
    return result;
  uint64_t *addresses = calloc(module->image->address_count, sizeof *addresses);
  struct cs_cpu_allocation **globals = calloc(count + 1, sizeof *globals);
  result = addresses && globals ? locate(module, addresses) : CUDA_ERROR_OUT_OF_MEMORY;
  for (uint32_t i = 0; result == CUDA_SUCCESS && i < count; i++) {
    size_t size = cs_cpu_image_globals(module->image)[i].size;
    if (is_external(module, i))
      continue;
    globals[i] = cs_cpu_memory_register(NULL, CS_CPU_MEMORY_MODULE, addresses[i], size, 0);
    if (globals[i]) {
      globals[i]->context = module->context;
      globals[i]->device = module->context->device->ordinal;
    }
  }
  if (result != CUDA_SUCCESS) {
    free(addresses);
    free(globals);
    return result;
  }
  module->addresses = addresses;
  module->globals = globals;
  return CUDA_SUCCESS;
}

/* The kernel that stores the variables' addresses also stores the initial values that SPIR-V cannot express: pointers
 * in initialisers and virtual tables. */
CUresult cs_cpu_module_build(struct cs_cpu_loaded_module *module) {
  pthread_mutex_lock(&module->lock);
  CUresult result = module->image->address_count ? load_globals(module) : build(module);
  pthread_mutex_unlock(&module->lock);
  return result;
}

CUresult cs_cpu_module_global(struct cs_cpu_loaded_module *module, const char *name, CUdeviceptr *address,
                              size_t *size) {
  uint32_t i = 0, count = module->image->global_count;
  while (i < count && (is_external(module, i) || strcmp(name_of(module, i), name) != 0))
    i++;
  if (i == count)
    return module->whole ? cs_cpu_module_global(module->whole, name, address, size) : CUDA_ERROR_NOT_FOUND;
  CUresult result = cs_cpu_module_build(module);
  if (result != CUDA_SUCCESS)
    return result;
  const struct cs_cpu_allocation *global = module->globals[i]; /* fixed once the module is built */
  if (!global) /* there was no memory for it; without bytes it has no address */
    return cs_cpu_image_globals(module->image)[i].size ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_NOT_FOUND;
  if (address)
    *address = global->range.start;
  if (size)
    *size = global->range.size;
  return CUDA_SUCCESS;
}

/* --- functions --- */

/* Under module->lock: shares the program of another kernel with the same code. */
static int share_program(const struct cs_cpu_loaded_module *module, struct cs_cpu_code *code) {
  for (uint32_t i = 0; i < module->image->kernel_count && !code->program; i++) {
    const struct cs_cpu_code *other = &module->functions[i]->code;
    if (other->program && other->offset == code->offset) {
      code->program = other->program;
      code->is_shared = 1;
    }
  }
  return code->program != NULL;
}

/* Under module->lock. */
static CUresult build_code(const struct cs_cpu_function *function, struct cs_cpu_code *code) {
  const struct cs_cpu_loaded_module *module = function->module;
  if (code->bytes && code->error == CUDA_SUCCESS && !share_program(module, code))
    code->error = cs_cpu_engine_build((const char *)module->image + code->offset, code->bytes,
                                      (function->kernel->flags & CS_KERNEL_DEBUG) != 0, function->name, &code->program);
  return code->error;
}

/* What failing checks call, once for all modules that have the same. */
struct failing {
  const void *spirv; /* a copy */
  size_t bytes;
  uint64_t addresses[CS_IMAGE_FAILING];
  struct failing *next;
};

static pthread_mutex_t failing_lock = PTHREAD_MUTEX_INITIALIZER;
static struct failing *all_failing;

/* Under failing_lock. The program is not released: other modules have its addresses. */
static CUresult build_failing(const void *spirv, size_t bytes, struct failing **out) {
  struct failing *made = calloc(1, sizeof *made);
  void *copy = malloc(bytes);
  struct cs_cpu_program *program = NULL;
  CUresult result = made && copy ? cs_cpu_engine_build(spirv, bytes, 0, NULL, &program) : CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_engine_globals(program, made->addresses);
  if (result != CUDA_SUCCESS) {
    cs_cpu_engine_release_program(program);
    free(made);
    free(copy);
    return result;
  }
  made->spirv = memcpy(copy, spirv, bytes);
  made->bytes = bytes;
  made->next = all_failing;
  return *out = all_failing = made, CUDA_SUCCESS;
}

/* Under module->lock: stores the addresses of what the function's failing checks call. */
static CUresult locate_failing(const struct cs_cpu_loaded_module *module, const struct cs_image_kernel *kernel) {
  const struct cs_image *image = module->image;
  const void *spirv = (const char *)image + image->failing_offset;
  CUresult result = CUDA_SUCCESS;
  if (!(kernel->flags & CS_KERNEL_FAILS) || !image->failing_slot || module->addresses[image->failing_slot])
    return CUDA_SUCCESS;
  pthread_mutex_lock(&failing_lock);
  struct failing *found = all_failing;
  while (found && (found->bytes != image->failing_bytes || memcmp(found->spirv, spirv, found->bytes) != 0))
    found = found->next;
  if (!found)
    result = build_failing(spirv, image->failing_bytes, &found);
  pthread_mutex_unlock(&failing_lock);
  if (result == CUDA_SUCCESS)
    memcpy(module->addresses + image->failing_slot, found->addresses, sizeof found->addresses);
  return result;
}

CUresult cs_cpu_function_load(struct cs_cpu_function *function) {
  struct cs_cpu_loaded_module *module = function->module;
  CUresult result = cs_cpu_module_build(module);
  if (result != CUDA_SUCCESS)
    return result;
  pthread_mutex_lock(&module->lock);
  result = locate_failing(module, function->kernel);
  if (result == CUDA_SUCCESS)
    result = build_code(function, &function->code);
  if (result == CUDA_SUCCESS && !function->entry) {
    struct cs_cpu_program *program = function->code.program ? function->code.program : module->program;
    result = cs_cpu_engine_entry(program, function->name, &function->entry);
    if (result == CUDA_SUCCESS)
      function->engine_max_threads = cs_cpu_engine_entry_threads(function->entry);
  }
  pthread_mutex_unlock(&module->lock);
  return result;
}

/* An entry holds its program. */
static void release_code(const struct cs_cpu_code *code) {
  if (!code->is_shared)
    cs_cpu_engine_release_program(code->program);
}

void cs_cpu_function_release(struct cs_cpu_function *function) {
  cs_cpu_engine_release_entry(function->entry);
  release_code(&function->code);
}
