/* registration.h: the calls that a compiler puts into every CUDA program, as clang and nvcc declare them, and the
 * kernels and variables that programs have registered with them. */
#ifndef CUSAFE_CUDART_REGISTRATION_H
#define CUSAFE_CUDART_REGISTRATION_H

#include "cpu/cudart/runtime.h"
#include "fatbin/fatbin.h"

void **__cudaRegisterFatBinary(void *wrapper); /* a struct cs_fatbin_wrapper */
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaUnregisterFatBinary(void **handle);
char __cudaInitModule(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name, int thread_limit,
                            uint3 *tid, uint3 *bid, dim3 *block, dim3 *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int ext, size_t size, int constant,
                       int global);
void __cudaRegisterManagedVar(void **handle, void **host, char *device, const char *name, int ext, size_t size,
                              int constant, int global);
void __cudaRegisterTexture(void **handle, const void *host, const void **device, const char *name, int dim, int norm,
                           int ext);
void __cudaRegisterSurface(void **handle, const void *host, const void **device, const char *name, int dim, int ext);

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host);
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream);
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream);

/* Registered kernels and variables. The context is the one cs_cudart_enter gave. */
cudaError_t cs_cudart_function(const void *host, struct cs_cudart_context *context, CUfunction *function);
/* The same for a launch or a node: what the CPU device cannot run is counted (cusafe/refused.h). */
cudaError_t cs_cudart_launched_function(const void *host, struct cs_cudart_context *context, CUfunction *function);
cudaError_t cs_cudart_variable(const void *host, struct cs_cudart_context *context, CUdeviceptr *address, size_t *size);
const char *cs_cudart_function_name(const void *host); /* NULL if not registered */
const char *cs_cudart_variable_name(const void *host, int *is_constant);

/* The address of the bytes [offset, offset + size) of a variable. Reports a call that leaves it to libcusafe. writes:
 * to it. */
cudaError_t cs_cudart_symbol_range(const char *call, const void *symbol, size_t offset, size_t size, int writes,
                                   CUdeviceptr *address);
/* The host function of a driver's function; the driver's function itself if it is not registered. */
const void *cs_cudart_host_function(CUfunction function);
void cs_cudart_load_modules(struct cs_cudart_context *context); /* all that are registered, and can be loaded */

#endif
