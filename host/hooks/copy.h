/* copy.h: the memory that the structures of copies and fills describe, for the rows of cusafe/driver_calls.inc. */
#ifndef CUSAFE_HOST_HOOKS_COPY_H
#define CUSAFE_HOST_HOOKS_COPY_H

#include "host/findings/span.h"

/* Both sides of a structure; its parameter must be named copy. The driver gets a copy without marks. */
#define CS_HOST_SHAPE(kind, type)                                                                                      \
  cs_host_source_##kind(copy = cs_host_plain_##kind(copy, &CS_HOST_ROOM(type))), cs_host_target_##kind(copy)
#define CS_HOST_ROOM(type) ((type){.srcMemoryType = CU_MEMORYTYPE_HOST, .dstMemoryType = CU_MEMORYTYPE_HOST})

#define CS_HOST_SHAPES(X) X(2d, CUDA_MEMCPY2D) X(3d, CUDA_MEMCPY3D) X(peer, CUDA_MEMCPY3D_PEER)
#define X(kind, type)                                                                                                  \
  struct cs_host_span cs_host_source_##kind(const type *copy);                                                         \
  struct cs_host_span cs_host_target_##kind(const type *copy);                                                         \
  const type *cs_host_plain_##kind(const type *copy, type *room);
CS_HOST_SHAPES(X)
#undef X

/* The memory that a graph's node fills; its parameter must be named fill. */
#define CS_HOST_FILL_NODE cs_host_target_fill(fill = cs_host_plain_fill(fill, &(CUDA_MEMSET_NODE_PARAMS){0}))
struct cs_host_span cs_host_target_fill(const CUDA_MEMSET_NODE_PARAMS *fill);
const CUDA_MEMSET_NODE_PARAMS *cs_host_plain_fill(const CUDA_MEMSET_NODE_PARAMS *fill, CUDA_MEMSET_NODE_PARAMS *room);

#endif
