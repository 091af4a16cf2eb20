// nvtx_pool.h: how a pool tells tools about its blocks by NVTX's memory annotations.
#ifndef CUSAFE_TESTS_NVTX_POOL_H
#define CUSAFE_TESTS_NVTX_POOL_H

#include "caching_pool.h"
#include <nvtx3/nvToolsExtMem.h>

struct Registered {
  static nvtxMemHeapHandle_t heap_of(const void *address, size_t bytes) {
    nvtxMemVirtualRangeDesc_t range = {bytes, address};
    nvtxMemHeapDesc_t desc = {};
    desc.extCompatID = NVTX_EXT_COMPATID_MEM;
    desc.structSize = sizeof desc;
    desc.usage = NVTX_MEM_HEAP_USAGE_TYPE_SUB_ALLOCATOR;
    desc.type = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    desc.typeSpecificDescSize = sizeof range;
    desc.typeSpecificDesc = &range;
    return nvtxMemHeapRegister(nullptr, &desc);
  }

  static void segment(char *address, size_t bytes) { heap_of(address, bytes); }
  static void released(char *address) { nvtxMemHeapUnregister(nullptr, (nvtxMemHeapHandle_t)address); }

  static char *handed_out(char *block, size_t bytes) {
    nvtxMemVirtualRangeDesc_t range = {bytes, block};
    nvtxMemRegionsRegisterBatch_t batch = {};
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.regionType = NVTX_MEM_TYPE_VIRTUAL_ADDRESS;
    batch.regionCount = 1;
    batch.regionDescElementSize = sizeof range;
    batch.regionDescElements = &range;
    nvtxMemRegionsRegister(nullptr, &batch);
    return block;
  }

  static char *given_back(void *pointer, cudaStream_t) {
    nvtxMemRegionRef_t ref;
    nvtxMemRegionsUnregisterBatch_t batch = {};
    ref.pointer = pointer;
    batch.extCompatID = NVTX_EXT_COMPATID_MEM;
    batch.structSize = sizeof batch;
    batch.refType = NVTX_MEM_REGION_REF_TYPE_POINTER;
    batch.refCount = 1;
    batch.refElementSize = sizeof ref;
    batch.refElements = &ref;
    nvtxMemRegionsUnregister(nullptr, &batch);
    return (char *)pointer;
  }
};

#endif
