/* driver.h: the real CUDA driver, as CuSafe calls it.
 *
 * cs_host_driver() finds libcuda.so.1 once, with the loader's own dlsym, so that no call made through the table comes
 * back to CuSafe. It never returns NULL; an entry that this driver lacks is NULL, and without a driver all entries are.
 * Any thread may call it at any time, even before cuInit. */
#ifndef CUSAFE_HOST_BASE_DRIVER_H
#define CUSAFE_HOST_BASE_DRIVER_H

#define CUDA_ENABLE_DEPRECATED /* programs may still make deprecated calls */
#include <cuda.h>
#include <cudaTypedefs.h>
#include <stddef.h>

/* cuda.h maps these names to their second edition; driver_calls.inc lists both. */
#undef cuCtxDestroy
#undef cuDevicePrimaryCtxRelease
#undef cuDevicePrimaryCtxReset
#undef cuGetProcAddress
#undef cuGraphAddKernelNode
#undef cuGraphAddNode
#undef cuGraphExecKernelNodeSetParams
#undef cuGraphExecUpdate
#undef cuGraphInstantiate
#undef cuMemAdvise
#undef cuMemHostRegister
#undef cuMemPrefetchAsync
#undef cuMemcpyBatchAsync
#undef cuMemcpy3DBatchAsync
#undef cuStreamBatchMemOp
#undef cuStreamBeginCapture
#undef cuStreamWaitValue32
#undef cuStreamWaitValue64
#undef cuStreamWriteValue32
#undef cuStreamWriteValue64

/* First editions, which cudaTypedefs.h declares only for NVIDIA's own libraries, and calls that are newer than some
 * cuda.h. A repeated typedef must agree with the header's, so a wrong line does not compile. */
typedef CUresult(CUDAAPI *PFN_cuCtxDestroy_v2000)(CUcontext context);
typedef CUresult(CUDAAPI *PFN_cuDevicePrimaryCtxRelease_v7000)(CUdevice device);
typedef CUresult(CUDAAPI *PFN_cuDevicePrimaryCtxReset_v7000)(CUdevice device);
typedef CUresult(CUDAAPI *PFN_cuGraphInstantiate_v10000)(CUgraphExec *graph, CUgraph from, CUgraphNode *node, char *log,
                                                         size_t bytes);
typedef PFN_cuGraphInstantiate_v10000 PFN_cuGraphInstantiate_v11000;
typedef CUresult(CUDAAPI *PFN_cuMemHostRegister_v4000)(void *address, size_t bytes, unsigned flags);
typedef CUresult(CUDAAPI *PFN_cuStreamBeginCapture_v10000)(CUstream stream);
typedef PFN_cuStreamBeginCapture_v10000 PFN_cuStreamBeginCapture_v10000_ptsz;
typedef CUresult(CUDAAPI *PFN_cuMemcpyWithAttributesAsync_v13020)(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                                                                  CUmemcpyAttributes *attributes, CUstream stream);
typedef PFN_cuMemcpyWithAttributesAsync_v13020 PFN_cuMemcpyWithAttributesAsync_v13020_ptsz;
typedef CUresult(CUDAAPI *PFN_cuMemcpy3DWithAttributesAsync_v13020)(CUDA_MEMCPY3D_BATCH_OP *copy,
                                                                    unsigned long long flags, CUstream stream);
typedef PFN_cuMemcpy3DWithAttributesAsync_v13020 PFN_cuMemcpy3DWithAttributesAsync_v13020_ptsz;

struct cs_host_driver {
#define CS_HOST_HOOK(action, name, edition, variant, version, ...)                                                     \
  PFN_cu##name##_v##version##variant cu##name##edition##variant;
#define CS_HOST_CALL(name, edition, version) PFN_cu##name##_v##version cu##name##edition;
#include "host/base/calls.inc"
};

const struct cs_host_driver *cs_host_driver(void);

/* The same for calls that the program makes, or that the driver itself makes inside another: they may wait whenever
 * they like. Also for CuSafe's waits for its own copies (process/own_stream.c), which nothing of the program can
 * delay. */
const struct cs_host_driver *cs_host_driver_of_program(void);
/* The same, once a call has been made through it. */
extern struct cs_host_driver cs_host_found_driver __attribute__((visibility("hidden")));
int cs_host_driver_present(void);
/* 12090 of CUDA 12.9; 0 if it is not known. */
int cs_host_driver_version(void);
/* Whether the driver lifts and checks PTX that a program loads (cusafe/lifts.h). */
int cs_host_driver_lifts(void);
/* Whether the driver has refused launches that a GPU would run, which makes the run fail; prints it
 * (cusafe/refused.h). */
int cs_host_driver_refused(void);
/* Errors after which a context is lost: a kernel ended early, perhaps because a check stopped it. */
int cs_host_is_sticky(CUresult result);
/* The part that has the kernel's code (cusafe/lifts.h), or NULL. */
void *cs_host_driver_part(void *kernel, int *is_library);

#endif
