/* stream_calls.h: the end of a stream. */
#ifndef CUSAFE_CPU_STREAM_CALLS_H
#define CUSAFE_CPU_STREAM_CALLS_H

struct cs_cpu_context;

/* Ends all streams of a context. */
void cs_cpu_streams_close(struct cs_cpu_context *context);

#endif
