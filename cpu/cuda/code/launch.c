/* launch.c: checks a launch, copies its parameters and runs it on the executor. */
#include "cpu/cuda/code/launch.h"
#include "cpu/cuda/base/kernel_name.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/shadow.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/function.h"
#include "cpu/cuda/code/function_attributes.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/print.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include "cpu/cuda/work/fault.h"
#include "cusafe/image.h"
#include "cusafe/refused.h"
#include "report/print.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct launch_task {
  struct cs_cpu_task task;
  struct cs_cpu_function *function;
  size_t groups, threads;
  cs_u32 status, cooperative;
  struct cs_launch *block; /* aligned, inside storage; the parameters follow */
  char storage[];
};

#define BLOCK_ALIGNMENT 64

static int dimensions_valid(const struct cs_cpu_launch_config *c) {
  return c->grid[0] && c->grid[1] && c->grid[2] && c->grid[0] <= 2147483647u && c->grid[1] <= 65535u &&
         c->grid[2] <= 65535u && c->block[0] && c->block[1] && c->block[2] && c->block[0] <= 1024 &&
         c->block[1] <= 1024 && c->block[2] <= 64 &&
         (uint64_t)c->block[0] * c->block[1] * c->block[2] <= CS_CPU_MAX_THREADS;
}

static CUresult check(struct cs_cpu_function *function, const struct cs_cpu_launch_config *config) {
  if (!dimensions_valid(config) || config->dynamic > atomic_load(&function->max_dynamic))
    return CUDA_ERROR_INVALID_VALUE;
  uint64_t threads = (uint64_t)config->block[0] * config->block[1] * config->block[2], groups, all;
  if (__builtin_mul_overflow((uint64_t)config->grid[0] * config->grid[1], config->grid[2], &groups) ||
      __builtin_mul_overflow(groups, threads, &all))
    return CUDA_ERROR_INVALID_VALUE;
  uint32_t bound = function->kernel->max_threads;
  if ((bound && threads > bound) || threads > function->engine_max_threads ||
      function->kernel->static_shared + config->dynamic > cs_cpu_shared_optin())
    return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
  return CUDA_SUCCESS;
}

/* The buffer of the `extra` form, or NULL. */
static CUresult packed_parameters(void **extra, const void **buffer, size_t *size) {
  *buffer = NULL;
  *size = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      *buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      *size = *(const size_t *)extra[1];
    else
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cs_cpu_launch_pack(const struct cs_cpu_function *function, char *to, void **params, void **extra) {
  const struct cs_image_kernel *kernel = function->kernel;
  if (params && extra)
    return CUDA_ERROR_INVALID_VALUE;
  if (extra) {
    const void *buffer;
    size_t size;
    CUresult result = packed_parameters(extra, &buffer, &size);
    if (result != CUDA_SUCCESS || (kernel->param_bytes && (!buffer || size > kernel->param_bytes)))
      return CUDA_ERROR_INVALID_VALUE;
    if (kernel->param_bytes) /* otherwise buffer and size are unchecked, and `to` has no room */
      memcpy(to, buffer, size);
    return CUDA_SUCCESS;
  }
  const struct cs_image_param *param = cs_cpu_image_params(function->module->image) + kernel->first_param;
  for (uint32_t i = 0; i < kernel->param_count; i++) {
    if (!params || !params[i])
      return CUDA_ERROR_INVALID_VALUE;
    memcpy(to + param[i].offset, params[i], param[i].size);
  }
  return CUDA_SUCCESS;
}

/* The executor's buffer, in the size that the context's limit specifies. */
static struct cs_print *print_buffer(struct cs_cpu_context *context) {
  struct cs_cpu_device *device = context->device;
  size_t wanted = atomic_load(&context->limits[CU_LIMIT_PRINTF_FIFO_SIZE]);
  if (device->print->capacity != wanted) {
    struct cs_print *print = cs_cpu_print_new(wanted);
    if (print) {
      free(device->print);
      device->print = print;
    }
  }
  return device->print;
}

/* The heap of kernels, created at the first launch; the system provides memory as kernels touch it. Its size cannot
 * change afterwards, as documented. */
static struct cs_heap *kernel_heap(struct cs_cpu_context *context) {
  struct cs_cpu_device *device = context->device;
  size_t wanted = atomic_load(&context->limits[CU_LIMIT_MALLOC_HEAP_SIZE]), slab = (size_t)1 << 20;
  if (device->heap)
    return device->heap;
  while (slab < wanted)
    slab *= 2;
  size_t states = 2 * (slab >> CS_HEAP_SLOT_LOG2(0)) * sizeof(cs_u32);
  char *memory = mmap(NULL, CS_HEAP_CLASSES * slab + states + sizeof(struct cs_heap), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  struct cs_heap *heap = (struct cs_heap *)(memory + CS_HEAP_CLASSES * slab + states);
  heap->slab_bytes = slab;
  heap->memory = (cs_u64)(uintptr_t)memory;
  heap->states = (cs_u64)(uintptr_t)(memory + CS_HEAP_CLASSES * slab);
  return device->heap = heap;
}

/* The alignment that the lowest bit of a size represents (struct cs_grid). */
static size_t alignment_of(size_t bytes) {
  size_t lowest = bytes & -bytes;
  return lowest > CS_GRID_SHARED_ALIGN ? lowest : CS_GRID_SHARED_ALIGN;
}

static size_t rounded(size_t bytes, size_t align) {
  return (bytes + align - 1) / align * align;
}

/* One block of zeroed memory for all frames and all shared memory. */
static void *grid_memory(const struct launch_task *launch, struct cs_grid *grid, size_t *bytes) {
  const struct cs_image_kernel *kernel = launch->function->kernel;
  size_t frame_align = alignment_of(kernel->local_bytes), shared_align = alignment_of(kernel->static_shared);
  size_t frames, shared, warps = rounded(CS_GRID_WARP_BYTES, shared_align);
  grid->frame_bytes = rounded(kernel->local_bytes, frame_align);
  grid->shared_bytes =
      rounded(rounded(kernel->static_shared, CS_GRID_SHARED_ALIGN) + launch->block->dynamic_shared, shared_align) +
      warps;
  if (__builtin_mul_overflow(launch->groups * launch->threads, grid->frame_bytes, &frames) ||
      __builtin_mul_overflow(launch->groups, grid->shared_bytes, &shared) ||
      __builtin_add_overflow(frames, shared + warps + frame_align + shared_align, bytes))
    return NULL;
  void *memory = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  grid->frames = rounded((cs_u64)(uintptr_t)memory, frame_align);
  grid->shared = rounded(grid->frames + frames, shared_align) + warps;
  return memory == MAP_FAILED ? NULL : memory;
}

static CUresult run_once(struct launch_task *launch) {
  struct cs_cpu_device *device = launch->task.context->device;
  const cs_u32 *block = launch->block->block;
  const size_t linear[3] = {launch->threads, 1, 1}, shape[3] = {block[0], block[1], block[2]};
  int shaped = (launch->function->kernel->flags & CS_KERNEL_SHAPED) != 0;
  CUresult result = cs_cpu_engine_run(device->queue, launch->function->entry, launch->block,
                                      launch->block->dynamic_shared, launch->groups, shaped ? shape : linear);
  return launch->status ? (CUresult)launch->status : result;
}

/* Runs the kernel repeatedly until no thread waits at the grid's barrier (struct cs_grid). */
static CUresult run_phases(struct launch_task *launch) {
  struct cs_grid grid = {.cooperative = launch->cooperative};
  size_t bytes;
  void *memory = grid_memory(launch, &grid, &bytes);
  if (!memory)
    return CUDA_ERROR_OUT_OF_MEMORY;
  launch->block->phases = (cs_u64)(uintptr_t)&grid;
  CUresult result;
  do {
    grid.waiting = 0;
    result = run_once(launch);
    grid.phase++;
  } while (result == CUDA_SUCCESS && __atomic_load_n(&grid.waiting, __ATOMIC_ACQUIRE) != 0);
  launch->block->phases = 0;
  munmap(memory, bytes);
  return result;
}

static void report_no_lock_step(const char *kernel) {
  char *name = cs_cpu_kernel_name(kernel);
  cs_report_print(
      stderr,
      "cusafe: kernel %s has warp operations, but the engine runs its lanes one after the other: the launch "
      "fails, because its results would be wrong\n",
      name ? name : kernel);
  free(name);
  cusafe_launch_refused(kernel);
}

static CUresult run_launch(struct cs_cpu_task *task) {
  static cs_u32 launches;
  struct launch_task *launch = (struct launch_task *)task;
  struct cs_cpu_device *device = task->context->device;
  struct cs_print *print = print_buffer(task->context);
  launch->block->number = __atomic_add_fetch(&launches, 1, __ATOMIC_RELAXED);
  launch->block->print = (cs_u64)(uintptr_t)print;
  launch->block->heap = (cs_u64)(uintptr_t)kernel_heap(task->context);
  launch->block->status = (cs_u64)(uintptr_t)&launch->status;
  cs_cpu_fault_kernel_begin(device->ordinal, launch->function->name,
                            (launch->function->kernel->flags & CS_KERNEL_WAITS) != 0);
  int phases = (launch->function->kernel->flags & CS_KERNEL_PHASES) != 0;
  int has_shadow = (launch->function->module->image->checked & CS_IMAGE_INIT) != 0;
  if (has_shadow)
    cs_cpu_shadow_launching();
  CUresult result = phases ? run_phases(launch) : run_once(launch);
  if (!has_shadow)
    cs_cpu_shadow_unseen();
  cs_cpu_fault_kernel_end(device->ordinal);
  cs_cpu_print_drain(print);
  if (launch->status == CS_STATUS_NO_LOCK_STEP)
    report_no_lock_step(launch->function->name);
  return result;
}

struct cs_cpu_task *cs_cpu_launch_task(struct cs_cpu_function *function, const struct cs_cpu_launch_config *config,
                                       char **params) {
  size_t bytes = CS_LAUNCH_PARAMS + function->kernel->param_bytes + BLOCK_ALIGNMENT;
  struct launch_task *launch = cs_cpu_task_new(sizeof *launch + bytes, run_launch);
  if (!launch)
    return NULL;
  uintptr_t start = ((uintptr_t)launch->storage + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
  launch->block = (struct cs_launch *)start;
  launch->function = function;
  launch->cooperative = config->cooperative != 0;
  memcpy(launch->block->grid, config->grid, sizeof config->grid);
  memcpy(launch->block->block, config->block, sizeof config->block);
  launch->block->dynamic_shared = (cs_u32)config->dynamic;
  launch->block->globals = (cs_u64)(uintptr_t)function->module->addresses;
  launch->threads = (size_t)config->block[0] * config->block[1] * config->block[2];
  launch->groups = (size_t)config->grid[0] * config->grid[1] * config->grid[2];
  *params = (char *)launch->block + CS_LAUNCH_PARAMS;
  return &launch->task;
}

/* Kernels that synchronise their grid run in phases, so any grid would do; CUDA requires one that fits the device. */
static CUresult check_cooperative(struct cs_cpu_function *function, const struct cs_cpu_launch_config *config) {
  if (!config->cooperative)
    return CUDA_SUCCESS;
  int threads = (int)(config->block[0] * config->block[1] * config->block[2]);
  uint64_t blocks = (uint64_t)config->grid[0] * config->grid[1] * config->grid[2];
  uint64_t max =
      (uint64_t)cs_cpu_resident_blocks(function, threads, config->dynamic) * cs_cpu_engine_info()->compute_units;
  return blocks <= max ? CUDA_SUCCESS : CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
}

/* Code that the engine cannot compile is refused. */
static CUresult load(struct cs_cpu_function *function) {
  CUresult result = cs_cpu_function_load(function);
  if (result == CUDA_ERROR_INVALID_IMAGE)
    cusafe_launch_refused(function->name);
  return result;
}

CUresult cs_cpu_launch_check(struct cs_cpu_context *context, CUfunction handle,
                             const struct cs_cpu_launch_config *config, struct cs_cpu_function **function) {
  CUresult result = cs_cpu_function_of(handle, function);
  if (result == CUDA_SUCCESS && context && (*function)->module->context != context)
    result = CUDA_ERROR_INVALID_HANDLE;
  if (result == CUDA_SUCCESS)
    result = dimensions_valid(config) ? load(*function) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = check(*function, config);
  return result == CUDA_SUCCESS ? check_cooperative(*function, config) : result;
}
