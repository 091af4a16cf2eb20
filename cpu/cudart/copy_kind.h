/* copy_kind.h: the two sides of a copy, from cudaMemcpyKind to the driver's memory types. */
#ifndef CUSAFE_CUDART_COPY_KIND_H
#define CUSAFE_CUDART_COPY_KIND_H

#include "cpu/cudart/api.h"

static inline int cs_cudart_host_source(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyHostToDevice;
}
static inline int cs_cudart_host_target(enum cudaMemcpyKind kind) {
  return kind == cudaMemcpyHostToHost || kind == cudaMemcpyDeviceToHost;
}
static inline CUmemorytype cs_cudart_memory_type(enum cudaMemcpyKind kind, int host) {
  return kind == cudaMemcpyDefault ? CU_MEMORYTYPE_UNIFIED : host ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
}

#endif
