/* capture_nodes.h: work for a capturing stream, as nodes of the capture's graph. */
#ifndef CUSAFE_CPU_CAPTURE_NODES_H
#define CUSAFE_CPU_CAPTURE_NODES_H

#include <cuda.h>
#include <stddef.h>

struct cs_cpu_capture;
struct cs_cpu_device;
struct cs_cpu_node;
struct cs_cpu_stream;

/* The stream's next node. */
CUresult cs_cpu_capture_node(struct cs_cpu_stream *stream, CUgraphNodeParams *params, struct cs_cpu_node **node);
CUresult cs_cpu_capture_copy(struct cs_cpu_stream *stream, const CUDA_MEMCPY3D *copy);
CUresult cs_cpu_capture_allocate(struct cs_cpu_stream *stream, struct cs_cpu_device *device, size_t size,
                                 CUdeviceptr *out);
CUresult cs_cpu_capture_free(struct cs_cpu_stream *stream, CUdeviceptr address);
/* Whether the tail of the capture's origin depends on the tails of all streams in it. */
int cs_cpu_capture_all_joined(const struct cs_cpu_capture *capture);
/* The stream's handle ends, and with it a capture that it takes part in, unless it has joined the capture's origin. */
void cs_cpu_capture_leave(struct cs_cpu_stream *stream);

#endif
