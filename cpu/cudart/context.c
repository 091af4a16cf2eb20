/* context.c: which driver context a thread works in, and the life of the primary contexts. */
#include "cpu/cudart/context.h"
#include "cpu/cudart/driver.h"
#include "cpu/cudart/errors.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards the list; taken before the lock of registration.c */
static struct cs_cudart_context *contexts;
static atomic_int any_lost;
static _Thread_local int selected;

int cs_cudart_selected_device(void) {
  return selected;
}

cudaError_t cs_cudart_driver_device(int ordinal, CUdevice *device) {
  return cs_cudart_error(CU(DeviceGet, device, ordinal));
}

static unsigned attribute(CUdevice device, CUdevice_attribute which) {
  int value = 0;
  return CU(DeviceGetAttribute, &value, which, device) == CUDA_SUCCESS && value > 0 ? (unsigned)value : 0;
}

static void read_limits(struct cs_cudart_context *context) {
  for (int i = 0; i < 3; i++) {
    context->max_block[i] = attribute(context->device, (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
    context->max_grid[i] = attribute(context->device, (CUdevice_attribute)(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
  }
  context->max_threads = attribute(context->device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
}

/* Ordinals and handles may differ. */
static int ordinal_of(CUdevice device) {
  int count = 0;
  CU(DeviceGetCount, &count);
  for (int i = 0; i < count; i++) {
    CUdevice candidate;
    if (CU(DeviceGet, &candidate, i) == CUDA_SUCCESS && candidate == device)
      return i;
  }
  return 0;
}

/* 0 for a driver that does not number contexts. An error is no answer: it must not look like another context. */
static cudaError_t read_id(CUcontext handle, unsigned long long *id) {
  *id = 0;
  return cs_cudart_cu.CtxGetId ? cs_cudart_error(cs_cudart_cu.CtxGetId(handle, id)) : cudaSuccess;
}

static struct cs_cudart_context *find(CUcontext handle) {
  struct cs_cudart_context *context = contexts;
  while (context && context->handle != handle)
    context = context->next;
  return context;
}

static struct cs_cudart_context *find_primary(int ordinal) {
  struct cs_cudart_context *context = contexts;
  while (context && !(context->primary && context->alive && context->ordinal == ordinal))
    context = context->next;
  return context;
}

static void end(struct cs_cudart_context *context) {
  context->alive = 0;
  context->sticky = cudaSuccess;
  if (context->ended)
    context->ended(context);
}

/* A record for a new handle; reuses a dead record of the same handle. */
static cudaError_t record(CUcontext handle, CUdevice device, int ordinal, int primary,
                          struct cs_cudart_context **recorded) {
  unsigned long long id;
  cudaError_t error = read_id(handle, &id);
  if (error != cudaSuccess)
    return error;
  struct cs_cudart_context *context = find(handle);
  if (!context) {
    context = calloc(1, sizeof *context);
    if (!context)
      return cudaErrorMemoryAllocation;
    context->next = contexts;
    contexts = context;
  }
  context->handle = handle;
  context->id = id;
  context->device = device;
  context->ordinal = ordinal;
  context->primary = primary;
  context->alive = 1;
  read_limits(context);
  *recorded = context;
  return cudaSuccess;
}

static cudaError_t retain(int ordinal, struct cs_cudart_context **context) {
  *context = find_primary(ordinal);
  if (*context)
    return cudaSuccess;
  CUdevice device;
  CUcontext handle;
  cudaError_t error = cs_cudart_driver_device(ordinal, &device);
  if (error == cudaSuccess)
    error = cs_cudart_error(CU(DevicePrimaryCtxRetain, &handle, device));
  if (error != cudaSuccess)
    return error;
  error = record(handle, device, ordinal, 1, context);
  if (error != cudaSuccess)
    CU(DevicePrimaryCtxRelease, device);
  return error;
}

static cudaError_t make_primary_current(int ordinal, struct cs_cudart_context **context) {
  cudaError_t error = retain(ordinal, context);
  return error == cudaSuccess ? cs_cudart_error(CU(CtxSetCurrent, (*context)->handle)) : error;
}

/* The application's own context, or a primary one that it made current through the driver. */
static cudaError_t adopt(CUcontext handle, struct cs_cudart_context **context) {
  CUdevice device;
  cudaError_t error = cs_cudart_error(CU(CtxGetDevice, &device));
  if (error != cudaSuccess)
    return error;
  return record(handle, device, ordinal_of(device), 0, context);
}

static cudaError_t enter_current(CUcontext current, struct cs_cudart_context **context) {
  *context = find(current);
  if (*context && (*context)->alive) {
    unsigned long long id;
    cudaError_t error = read_id(current, &id);
    if (error != cudaSuccess || id == (*context)->id)
      return error;
    end(*context); /* destroyed or reset through the driver, and the handle was reused */
    return adopt(current, context);
  }
  if (*context && (*context)->primary) /* cudaDeviceReset has ended it, perhaps in another thread */
    return make_primary_current((*context)->ordinal, context);
  return adopt(current, context);
}

cudaError_t cs_cudart_enter(struct cs_cudart_context **context) {
  cudaError_t error = cs_cudart_driver_ready();
  if (error != cudaSuccess)
    return error;
  CUcontext current = NULL;
  error = cs_cudart_error(CU(CtxGetCurrent, &current));
  if (error != cudaSuccess)
    return error;
  pthread_mutex_lock(&lock);
  error = current ? enter_current(current, context) : make_primary_current(selected, context);
  pthread_mutex_unlock(&lock);
  return error;
}

cudaError_t cs_cudart_primary_context(int ordinal, CUcontext *handle) {
  struct cs_cudart_context *context;
  pthread_mutex_lock(&lock);
  cudaError_t error = retain(ordinal, &context);
  if (error == cudaSuccess)
    *handle = context->handle;
  pthread_mutex_unlock(&lock);
  return error;
}

cudaError_t cs_cudart_select_device(int ordinal) {
  CUdevice device;
  cudaError_t error = cs_cudart_driver_device(ordinal, &device);
  if (error != cudaSuccess)
    return error;
  struct cs_cudart_context *context;
  pthread_mutex_lock(&lock);
  error = make_primary_current(ordinal, &context);
  if (error == cudaSuccess)
    selected = ordinal;
  pthread_mutex_unlock(&lock);
  return error;
}

cudaError_t cs_cudart_reset_device(int ordinal) {
  CUdevice device;
  cudaError_t error = cs_cudart_driver_device(ordinal, &device);
  if (error != cudaSuccess)
    return error;
  pthread_mutex_lock(&lock);
  struct cs_cudart_context *context = find_primary(ordinal);
  error = cs_cudart_error(CU(DevicePrimaryCtxReset, device));
  if (context) {
    CU(DevicePrimaryCtxRelease,
       device); /* pairs with retain(); an error, from a driver that has reset the count, is harmless */
    end(context);
  }
  CU(CtxSetCurrent, NULL);
  pthread_mutex_unlock(&lock);
  return error;
}

static struct cs_cudart_context *thread_context(void) {
  CUcontext current = NULL;
  if (CU(CtxGetCurrent, &current) != CUDA_SUCCESS)
    return NULL;
  return current ? find(current) : find_primary(selected);
}

void cs_cudart_context_lost(cudaError_t error) {
  pthread_mutex_lock(&lock);
  struct cs_cudart_context *context = thread_context();
  if (context && context->alive && context->sticky == cudaSuccess) {
    context->sticky = error;
    atomic_store(&any_lost, 1);
  }
  pthread_mutex_unlock(&lock);
}

cudaError_t cs_cudart_context_sticky(void) {
  if (!atomic_load(&any_lost))
    return cudaSuccess;
  pthread_mutex_lock(&lock);
  struct cs_cudart_context *context = thread_context();
  cudaError_t error = context ? context->sticky : cudaSuccess;
  pthread_mutex_unlock(&lock);
  return error;
}
