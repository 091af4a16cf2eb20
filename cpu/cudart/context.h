/* context.h: the driver contexts that the runtime works in. */
#ifndef CUSAFE_CUDART_CONTEXT_H
#define CUSAFE_CUDART_CONTEXT_H

#include "cpu/cudart/api.h"

/* A driver context as the runtime knows it. Never freed, so a pointer to one stays valid; dead after
 * cudaDeviceReset. */
struct cs_cudart_context {
  CUcontext handle;
  unsigned long long id; /* the driver's number for this instance, 0 if it has none */
  CUdevice device;
  int ordinal;
  int alive;
  int primary;        /* retained by the runtime */
  cudaError_t sticky; /* the error that ended it */
  unsigned max_block[3], max_grid[3], max_threads;
  struct cs_cudart_loaded *loaded; /* modules and functions; belongs to registration.c */
  void (*ended)(
      struct cs_cudart_context *context); /* set with loaded: the context has ended, and its modules with it */
  struct cs_cudart_context *next;
};

/* Makes a context current: the thread's own if the application has set one through the driver, else the primary context
 * of the thread's device. */
cudaError_t cs_cudart_enter(struct cs_cudart_context **context);

cudaError_t cs_cudart_select_device(int ordinal);                      /* this thread's device from now on */
int cs_cudart_selected_device(void);                                   /* without initialising anything */
cudaError_t cs_cudart_primary_context(int ordinal, CUcontext *handle); /* retained, not made current */
cudaError_t cs_cudart_reset_device(int ordinal);                       /* ends its primary context */
cudaError_t cs_cudart_driver_device(int ordinal, CUdevice *device);    /* cudaErrorInvalidDevice if there is none */
void cs_cudart_context_lost(cudaError_t error); /* the current context has ended with this error */
cudaError_t cs_cudart_context_sticky(void);     /* how the thread's context ended, or cudaSuccess */

#endif
