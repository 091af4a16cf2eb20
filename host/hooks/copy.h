/* copy.h: the memory that a copy or fill touches, and its check. See the actions COPY, QUEUE, AWAIT and NODE of cusafe/driver_calls.inc. */
#ifndef CUSAFE_HOST_HOOKS_COPY_H
#define CUSAFE_HOST_HOOKS_COPY_H

#include "cusafe/abi.h"
#include "host/base/driver.h"

/* depth slices of height rows of width bytes, from base + offset on; empty when one of these is 0. Values that overflow are ~0. */
struct cs_host_span {
  cs_u64 base; /* the pointer that the program passed: its buffer is the one that the call may touch */
  cs_u64 offset;
  cs_u64 width, pitch, height, slice, depth;
  enum cs_access access;
};

/* The bytes of count items. */
cs_u64 cs_host_items(cs_u64 size, cs_u64 count);

#define CS_HOST_PLAIN(p) ((cs_u64)((p) = (__typeof__(p))cs_strip((cs_u64)(p))))
#define CS_HOST_READS(p, bytes) {CS_HOST_PLAIN(p), 0, (bytes), 0, 1, 0, 1, CS_ACCESS_READ}
#define CS_HOST_WRITES(p, bytes) {CS_HOST_PLAIN(p), 0, (bytes), 0, 1, 0, 1, CS_ACCESS_WRITE}
#define CS_HOST_FILLS(p, pitch, width, height) {CS_HOST_PLAIN(p), 0, (width), (pitch), (height), 0, 1, CS_ACCESS_WRITE}
#define CS_HOST_NO_SPAN {0}

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

/* Reports the first span that leaves its buffer. Returns 0 when the call is to be made, otherwise the error to return instead. */
CUresult cs_host_copy_refused(const char *call, const struct cs_host_span *spans, size_t count);
/* The same before a call that no capture records: a graph's memory must be allocated now. */
CUresult cs_host_copy_refused_now(const char *call, const struct cs_host_span *spans, size_t count);
/* Whether the span touches a graph's memory that was freed, by a launch or a call; if so, sets where the memory starts. */
int cs_host_copy_is_of_freed_graph(const struct cs_host_span *span, cs_u64 *start);

/* Whether all that the span touches is inside the live buffer that it starts in, or memory that CuSafe does not know. */
int cs_host_copy_is_valid(const struct cs_host_span *span);

/* Whether the span's buffer was freed and no live buffer contains the span; reports that, and returns as above. */
int cs_host_copy_is_stale(const struct cs_host_span *span);
CUresult cs_host_copy_report(const char *call, const struct cs_host_span *span);

#endif
