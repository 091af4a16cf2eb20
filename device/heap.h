/* heap.h: malloc and free in kernels, from slabs that the host has prepared. The pass replaces CUDA's by these. */
#ifndef CUSAFE_DEVICE_HEAP_H
#define CUSAFE_DEVICE_HEAP_H

#include "cusafe/abi.h"

void *__cs_malloc(cs_u64 size);
void __cs_free(void *pointer, cs_u32 site);

#endif
