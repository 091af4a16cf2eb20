/* capture.h: stream captures in progress, and what they forbid. capture_nodes.c adds nodes to their graphs. */
#ifndef CUSAFE_CPU_CAPTURE_H
#define CUSAFE_CPU_CAPTURE_H

#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

struct cs_cpu_context;
struct cs_cpu_graph;
struct cs_cpu_mark;
struct cs_cpu_node;
struct cs_cpu_stream;

struct cs_cpu_capture {
  unsigned long long id;
  CUstreamCaptureMode mode;
  struct cs_cpu_graph *graph;
  int own_graph; /* created for the capture, so it ends with a capture that fails */
  atomic_int invalid;
  struct cs_cpu_stream *origin, **streams;
  size_t count, room;
  pthread_t thread;
  struct cs_cpu_capture *next;
};

/* Enters a stream for work: a task if stream->capture is NULL, a node otherwise. An error when a capture forbids it.
 * context may be NULL. */
CUresult cs_cpu_enter_work(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream);
/* For calls that need the stream's work done: while it captures, an error that also invalidates the capture. */
CUresult cs_cpu_enter_wait(CUstream handle, struct cs_cpu_stream **stream);
/* For calls that are forbidden during a capture, such as cuMemAlloc, as far as the modes of the capture and of the
 * thread specify: the error, after it has invalidated those captures. */
CUresult cs_cpu_capture_unsafe(void);
void cs_cpu_capture_invalidate(struct cs_cpu_capture *capture);

/* Adds the stream to the capture. The list's lock is held, or the capture is not in the list yet. */
CUresult cs_cpu_capture_enlist(struct cs_cpu_capture *capture, struct cs_cpu_stream *stream);
/* From here on other threads see the capture. */
void cs_cpu_capture_publish(struct cs_cpu_capture *capture);
/* Its streams are free again; the graph is the caller's. */
void cs_cpu_capture_end(struct cs_cpu_capture *capture);
/* Takes the stream out of its capture. Returns whether the capture began with it; then the caller must end the
 * capture. */
int cs_cpu_capture_withdraw(struct cs_cpu_stream *stream);
/* A node was destroyed: no capturing stream may name it from now on. */
void cs_cpu_capture_forget(struct cs_cpu_node *node);

/* An event is recorded in the capture; another stream waits for such an event. */
CUresult cs_cpu_capture_mark(struct cs_cpu_stream *stream, struct cs_cpu_mark *mark);
CUresult cs_cpu_capture_join(struct cs_cpu_stream *stream, const struct cs_cpu_mark *mark);

#endif
