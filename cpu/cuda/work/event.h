/* event.h: events, and the tasks that record and await them. */
#ifndef CUSAFE_CPU_EVENT_H
#define CUSAFE_CPU_EVENT_H

#include "cpu/cuda/base/node_set.h"
#include <cuda.h>
#include <stdatomic.h>
#include <stdint.h>

struct cs_cpu_context;
struct cs_cpu_stream;

/* What an event that was recorded in a capture represents. */
struct cs_cpu_mark {
  unsigned long long capture; /* its id; 0: the event was not recorded in a capture */
  struct cs_cpu_node_set nodes;
};
void cs_cpu_mark_clear(struct cs_cpu_mark *mark);

struct cs_cpu_event {
  uint32_t magic;
  unsigned flags;
  atomic_int destroyed;
  struct cs_cpu_context *context;
  atomic_ullong ticket;    /* of the last record; 0 before the first */
  atomic_ullong time;      /* nanoseconds, when that record ran */
  atomic_int references;   /* the handle and each record that has not run */
  struct cs_cpu_mark mark; /* of the last record, if it was captured */
};

struct cs_cpu_event *cs_cpu_event_new(struct cs_cpu_context *context, unsigned flags);
/* Ends the handle; the object ends when its last record has run. 0 when another thread has ended it already. */
int cs_cpu_event_destroy(struct cs_cpu_event *event);
CUresult cs_cpu_event_of(CUevent handle, struct cs_cpu_event **event);
int cs_cpu_event_is(CUevent handle);

/* As tasks, whether or not the stream captures: what graph nodes do. */
CUresult cs_cpu_event_record(struct cs_cpu_stream *stream, CUevent event);
CUresult cs_cpu_event_wait(struct cs_cpu_stream *stream, CUevent event);

#endif
