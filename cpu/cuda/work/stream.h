/* stream.h: from a stream handle to the stream. */
#ifndef CUSAFE_CPU_STREAM_H
#define CUSAFE_CPU_STREAM_H

#include <cuda.h>
#include <stdint.h>

struct cs_cpu_context;
struct cs_cpu_stream;

CUresult cs_cpu_stream_of(struct cs_cpu_context *context, CUstream handle, struct cs_cpu_stream **stream);
/* cs_cpu_enter and cs_cpu_stream_of in one; context may be NULL. */
CUresult cs_cpu_enter_stream(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream);
/* The last ticket that work submitted to the stream now would have to wait for. */
uint64_t cs_cpu_stream_dependency(struct cs_cpu_stream *stream);

#endif
