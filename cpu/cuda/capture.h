/* capture.h: a capture in progress, for the two files that work on it. */
#ifndef CUSAFE_CPU_CAPTURE_H
#define CUSAFE_CPU_CAPTURE_H

#include "cpu/cuda/graph.h"

struct cs_cpu_capture {
  unsigned long long id;
  CUstreamCaptureMode mode;
  struct cs_cpu_graph *graph;
  int own_graph; /* made for the capture, so it ends with a capture that fails */
  atomic_int invalid;
  struct cs_cpu_stream *origin, **streams;
  size_t count, room;
  pthread_t thread;
  struct cs_cpu_capture *next;
};

/* Makes the stream part of the capture. The list's lock is held, or the capture is not in the list yet. */
CUresult cs_cpu_capture_enlist(struct cs_cpu_capture *capture, struct cs_cpu_stream *stream);
/* From here on other threads see it. */
void cs_cpu_capture_list(struct cs_cpu_capture *capture);
/* Its streams are free again; the graph is the caller's. */
void cs_cpu_capture_end(struct cs_cpu_capture *capture);

#endif
