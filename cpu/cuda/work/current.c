/* current.c: which context the calling thread works in: its stack of contexts, and entry into the current one. */
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/threads.h"
#include "cpu/cuda/work/devices.h"
#include <pthread.h>

#define STACK_DEPTH 128
static _Thread_local struct cs_cpu_context *stack[STACK_DEPTH];
static _Thread_local int depth;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cs_cpu_context_lock(void) {
  pthread_mutex_lock(&lock);
}

void cs_cpu_context_unlock(void) {
  pthread_mutex_unlock(&lock);
}

static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

void cs_cpu_context_wait(void) {
  pthread_cond_wait(&changed, &lock);
}

void cs_cpu_context_wake(void) {
  pthread_cond_broadcast(&changed);
}

CUresult cs_cpu_context_error(const struct cs_cpu_context *context) {
  CUresult failed = atomic_load(&context->device->failed);
  return failed != CUDA_SUCCESS ? failed : (CUresult)atomic_load(&context->error);
}

CUresult cs_cpu_current(struct cs_cpu_context **context) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (cs_cpu_in_executor())
    return CUDA_ERROR_NOT_PERMITTED;
  if (depth == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  if (!atomic_load(&stack[depth - 1]->alive))
    return CUDA_ERROR_CONTEXT_IS_DESTROYED;
  *context = stack[depth - 1];
  return CUDA_SUCCESS;
}

CUresult cs_cpu_enter(struct cs_cpu_context **context) {
  CUresult result = cs_cpu_current(context);
  return result == CUDA_SUCCESS ? cs_cpu_context_error(*context) : result;
}

CUresult cs_cpu_context_check(CUcontext handle, struct cs_cpu_context **context) {
  if (!handle)
    return cs_cpu_current(context);
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_object_is(handle, CS_CPU_CONTEXT))
    return CUDA_ERROR_INVALID_CONTEXT;
  *context = (struct cs_cpu_context *)handle;
  return atomic_load(&(*context)->alive) ? CUDA_SUCCESS : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

CUresult cs_cpu_context_push(struct cs_cpu_context *context) {
  if (depth == STACK_DEPTH)
    return CUDA_ERROR_OUT_OF_MEMORY;
  stack[depth++] = context;
  return CUDA_SUCCESS;
}

void cs_cpu_context_pop_if(const struct cs_cpu_context *context) {
  if (depth > 0 && stack[depth - 1] == context)
    depth--;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle) {
  struct cs_cpu_context *context;
  CUresult result = handle ? cs_cpu_context_check(handle, &context) : CUDA_ERROR_INVALID_CONTEXT;
  return result == CUDA_SUCCESS ? cs_cpu_context_push(context) : result;
}

CUresult cuCtxPushCurrent(CUcontext context) {
  return cuCtxPushCurrent_v2(context);
}

CUresult cuCtxPopCurrent_v2(CUcontext *context) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (depth == 0)
    return CUDA_ERROR_INVALID_CONTEXT;
  depth--;
  if (context)
    *context = (CUcontext)stack[depth];
  return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *context) {
  return cuCtxPopCurrent_v2(context);
}

CUresult cuCtxSetCurrent(CUcontext handle) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!handle) {
    depth -= depth > 0;
    return CUDA_SUCCESS;
  }
  struct cs_cpu_context *context;
  result = cs_cpu_context_check(handle, &context);
  if (result != CUDA_SUCCESS)
    return result;
  if (depth == 0)
    return cs_cpu_context_push(context);
  stack[depth - 1] = context;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *context) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!context)
    return CUDA_ERROR_INVALID_VALUE;
  *context = depth ? (CUcontext)stack[depth - 1] : NULL;
  return CUDA_SUCCESS;
}
