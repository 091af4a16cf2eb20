/* errors.h: errors of the driver as errors of the runtime, and the thread's last one. */
#ifndef CUSAFE_CUDART_ERRORS_H
#define CUSAFE_CUDART_ERRORS_H

#include "cpu/cudart/api.h"

cudaError_t cs_cudart_error(CUresult result);
/* Whether the context can do no more work after the error. */
int cs_cudart_error_is_sticky(cudaError_t error);

/* Remembers the error as the thread's last one, and returns it. */
cudaError_t cs_cudart_fail(cudaError_t error);
cudaError_t cs_cudart_last_error(void);
void cs_cudart_clear_last_error(void);

#endif
