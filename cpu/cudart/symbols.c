/* symbols.c: __device__ and __constant__ variables, named by the address of their host shadow; and the driver's entry
 * points. */
#include "cpu/cudart/registration.h"
#include "cpu/cudart/runtime.h"

static void report(const char *call, const void *symbol, struct cs_symbol_copy *copy) {
  copy->call = call;
  copy->name = cs_cudart_variable_name(symbol, &copy->is_constant);
  if (cs_cudart_symbol_report)
    cs_cudart_symbol_report(copy);
}

cudaError_t cs_cudart_symbol_range(const char *call, const void *symbol, size_t offset, size_t size, int writes,
                                   CUdeviceptr *address) {
  struct cs_cudart_context *context;
  size_t bytes;
  cudaError_t error = cs_cudart_enter(&context);
  if (error == cudaSuccess)
    error = cs_cudart_variable(symbol, context, address, &bytes);
  if (error == cudaSuccess && (offset > bytes || size > bytes - offset)) {
    report(
        call, symbol,
        &(struct cs_symbol_copy){.writes = writes, .start = *address, .bytes = bytes, .offset = offset, .size = size});
    error = cudaErrorInvalidValue;
  }
  if (error == cudaSuccess)
    *address += offset;
  return cs_cudart_fail(error);
}

static int can_write(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}
static int can_read(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice || kind == cudaMemcpyDefault;
}

cudaError_t cudaGetSymbolAddress(void **out, const void *symbol) {
  CUdeviceptr address;
  CS_CUDART_CHECK(out);
  cudaError_t error = cs_cudart_symbol_range(__func__, symbol, 0, 0, 0, &address);
  if (error == cudaSuccess)
    *out = (void *)address;
  return error;
}

cudaError_t cudaGetSymbolSize(size_t *size, const void *symbol) {
  struct cs_cudart_context *context;
  CUdeviceptr address;
  CS_CUDART_ENTER_IN(context);
  CS_CUDART_CHECK(size);
  return cs_cudart_fail(cs_cudart_variable(symbol, context, &address, size));
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t size, size_t offset,
                               enum cudaMemcpyKind kind) {
  CUdeviceptr address;
  if (!can_write(kind))
    return cs_cudart_fail(cudaErrorInvalidMemcpyDirection);
  cudaError_t error = cs_cudart_symbol_range(__func__, symbol, offset, size, 1, &address);
  return error == cudaSuccess ? cudaMemcpy((void *)address, from, size, kind) : error;
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind) {
  CUdeviceptr address;
  if (!can_read(kind))
    return cs_cudart_fail(cudaErrorInvalidMemcpyDirection);
  cudaError_t error = cs_cudart_symbol_range(__func__, symbol, offset, size, 0, &address);
  return error == cudaSuccess ? cudaMemcpy(to, (const void *)address, size, kind) : error;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind, cudaStream_t stream) {
  CUdeviceptr address;
  if (!can_write(kind))
    return cs_cudart_fail(cudaErrorInvalidMemcpyDirection);
  cudaError_t error = cs_cudart_symbol_range(__func__, symbol, offset, size, 1, &address);
  return error == cudaSuccess ? cudaMemcpyAsync((void *)address, from, size, kind, stream) : error;
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind, cudaStream_t stream) {
  CUdeviceptr address;
  if (!can_read(kind))
    return cs_cudart_fail(cudaErrorInvalidMemcpyDirection);
  cudaError_t error = cs_cudart_symbol_range(__func__, symbol, offset, size, 0, &address);
  return error == cudaSuccess ? cudaMemcpyAsync(to, (const void *)address, size, kind, stream) : error;
}

/* An unknown name is not an error for callers that request the status. */
cudaError_t cudaGetDriverEntryPointByVersion(const char *name, void **function, unsigned version,
                                             unsigned long long flags, enum cudaDriverEntryPointQueryResult *status) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(name && *name && function && flags <= cudaEnablePerThreadDefaultStream);
  CUdriverProcAddressQueryResult found = CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  *function = NULL;
  CUresult result = CU(GetProcAddress, name, function, (int)version, flags, &found);
  if (status)
    *status = (enum cudaDriverEntryPointQueryResult)found;
  return cs_cudart_done(result == CUDA_ERROR_NOT_FOUND && status ? CUDA_SUCCESS : result);
}

cudaError_t cudaGetDriverEntryPoint(const char *name, void **function, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(name, function, CUDART_VERSION, flags, status);
}
