/* capture.c: stream capture: work for a stream becomes nodes of a graph instead of tasks.
 *
 * A capture begins with one stream and grows to others that wait for events recorded in it. Each stream in it has a tail,
 * the nodes that its next one depends on. Programs may not work on one capture from two threads at once, so its tails need
 * no lock; the list of captures has one, because any thread may ask whether a capture forbids a call. */
#include "cpu/cuda/capture.h"
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_cpu_capture *captures; /* under lock */
static atomic_int capture_count;
static _Thread_local CUstreamCaptureMode thread_mode = CU_STREAM_CAPTURE_MODE_GLOBAL;

/* --- sets of nodes --- */

int cs_cpu_nodes_add(struct cs_cpu_node_set *set, struct cs_cpu_node *node) {
  for (size_t i = 0; i < set->count; i++)
    if (set->nodes[i] == node)
      return 0;
  if (set->count == set->room) {
    size_t room = set->room ? set->room * 2 : 4;
    struct cs_cpu_node **nodes = realloc(set->nodes, room * sizeof *nodes);
    if (nodes)
      set->nodes = nodes;
    CUgraphEdgeData *edges = calloc(room, sizeof *edges);
    if (!nodes || !edges) {
      free(edges);
      return -1;
    }
    free(set->edges);
    set->edges = edges;
    set->room = room;
  }
  set->nodes[set->count++] = node;
  return 0;
}

static void clear_set(struct cs_cpu_node_set *set) {
  free(set->nodes);
  free(set->edges);
  *set = (struct cs_cpu_node_set){0};
}

static CUresult add_all(struct cs_cpu_node_set *set, const struct cs_cpu_node_set *more) {
  for (size_t i = 0; i < more->count; i++)
    if (cs_cpu_nodes_add(set, more->nodes[i]) != 0)
      return CUDA_ERROR_OUT_OF_MEMORY;
  return CUDA_SUCCESS;
}

void cs_cpu_capture_forget(struct cs_cpu_node *node) {
  if (!atomic_load(&capture_count))
    return;
  pthread_mutex_lock(&lock);
  for (struct cs_cpu_capture *capture = captures; capture; capture = capture->next)
    for (size_t i = 0; i < capture->count; i++) {
      struct cs_cpu_node_set *tail = &capture->streams[i]->tail;
      for (size_t k = 0; k < tail->count; k++)
        if (tail->nodes[k] == node)
          tail->nodes[k--] = tail->nodes[--tail->count];
    }
  pthread_mutex_unlock(&lock);
}

/* --- streams of a capture --- */

/* Streams that would wait for the legacy stream forbid work in it. */
static int is_blocking(const struct cs_cpu_stream *stream) {
  return !(stream->flags & CU_STREAM_NON_BLOCKING);
}

CUresult cs_cpu_capture_enlist(struct cs_cpu_capture *capture, struct cs_cpu_stream *stream) {
  if (capture->count == capture->room) {
    size_t room = capture->room ? capture->room * 2 : 4;
    struct cs_cpu_stream **streams = realloc(capture->streams, room * sizeof *streams);
    if (!streams)
      return CUDA_ERROR_OUT_OF_MEMORY;
    capture->streams = streams;
    capture->room = room;
  }
  capture->streams[capture->count++] = stream;
  stream->capture = capture;
  if (is_blocking(stream))
    atomic_fetch_add(&stream->context->captures, 1);
  return CUDA_SUCCESS;
}

static void discharge(struct cs_cpu_stream *stream) {
  if (is_blocking(stream))
    atomic_fetch_sub(&stream->context->captures, 1);
  stream->capture = NULL;
  clear_set(&stream->tail);
}

void cs_cpu_capture_list(struct cs_cpu_capture *capture) {
  pthread_mutex_lock(&lock);
  capture->next = captures;
  captures = capture;
  pthread_mutex_unlock(&lock);
  atomic_fetch_add(&capture_count, 1);
}

static void unlist(struct cs_cpu_capture *capture) {
  pthread_mutex_lock(&lock);
  struct cs_cpu_capture **slot = &captures;
  while (*slot != capture)
    slot = &(*slot)->next;
  *slot = capture->next;
  pthread_mutex_unlock(&lock);
  atomic_fetch_sub(&capture_count, 1);
}

void cs_cpu_capture_end(struct cs_cpu_capture *capture) {
  unlist(capture);
  for (size_t i = 0; i < capture->count; i++)
    discharge(capture->streams[i]);
  free(capture->streams);
  free(capture);
}

void cs_cpu_capture_invalidate(struct cs_cpu_capture *capture) {
  atomic_store(&capture->invalid, 1);
}

void cs_cpu_capture_leave(struct cs_cpu_stream *stream) {
  struct cs_cpu_capture *capture = stream->capture;
  if (!capture)
    return;
  cs_cpu_capture_invalidate(capture);
  pthread_mutex_lock(&lock);
  for (size_t i = 0; i < capture->count; i++)
    if (capture->streams[i] == stream)
      capture->streams[i--] = capture->streams[--capture->count];
  int origin = capture->origin == stream;
  pthread_mutex_unlock(&lock);
  discharge(stream);
  if (!origin)
    return;
  if (capture->own_graph)
    cs_cpu_graph_delete(capture->graph);
  cs_cpu_capture_end(capture);
}

/* --- what a capture forbids --- */

static CUresult status_of(const struct cs_cpu_stream *stream) {
  if (!stream->capture)
    return CUDA_SUCCESS;
  return atomic_load(&stream->capture->invalid) ? CUDA_ERROR_STREAM_CAPTURE_INVALIDATED : CUDA_SUCCESS;
}

/* Captures of the context that the legacy stream would become part of. */
static void invalidate_blocking(const struct cs_cpu_context *context) {
  pthread_mutex_lock(&lock);
  for (struct cs_cpu_capture *capture = captures; capture; capture = capture->next)
    for (size_t i = 0; i < capture->count; i++)
      if (capture->streams[i]->context == context && is_blocking(capture->streams[i]))
        cs_cpu_capture_invalidate(capture);
  pthread_mutex_unlock(&lock);
}

CUresult cs_cpu_enter_work(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream) {
  CUresult result = cs_cpu_enter_stream(handle, context, stream);
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_context *owner = (*stream)->context;
  if (*stream == &owner->legacy && atomic_load(&owner->captures)) {
    invalidate_blocking(owner);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  return status_of(*stream);
}

CUresult cs_cpu_enter_wait(CUstream handle, struct cs_cpu_stream **stream) {
  CUresult result = cs_cpu_enter_work(handle, NULL, stream);
  if (result != CUDA_SUCCESS || !(*stream)->capture)
    return result;
  cs_cpu_capture_invalidate((*stream)->capture);
  return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

CUresult cs_cpu_capture_unsafe(void) {
  if (!atomic_load(&capture_count) || thread_mode == CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_SUCCESS;
  int forbidden = 0;
  pthread_mutex_lock(&lock);
  for (struct cs_cpu_capture *capture = captures; capture; capture = capture->next) {
    int own = pthread_equal(capture->thread, pthread_self());
    int counts = own ? capture->mode != CU_STREAM_CAPTURE_MODE_RELAXED
                     : thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL && capture->mode == CU_STREAM_CAPTURE_MODE_GLOBAL;
    if (counts)
      cs_cpu_capture_invalidate(capture);
    forbidden |= counts;
  }
  pthread_mutex_unlock(&lock);
  return forbidden ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED : CUDA_SUCCESS;
}

CUresult cuThreadExchangeStreamCaptureMode(CUstreamCaptureMode *mode) {
  if (!mode || *mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  CUstreamCaptureMode before = thread_mode;
  thread_mode = *mode;
  *mode = before;
  return CUDA_SUCCESS;
}

/* --- nodes --- */

CUresult cs_cpu_capture_node(struct cs_cpu_stream *stream, CUgraphNodeParams *params, struct cs_cpu_node **node) {
  struct cs_cpu_capture *capture = stream->capture;
  CUresult result = cs_cpu_graph_add(capture->graph, stream->tail.nodes, NULL, stream->tail.count, params, node);
  if (result == CUDA_SUCCESS) {
    stream->tail.count = 0;
    result = cs_cpu_nodes_add(&stream->tail, *node) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result != CUDA_SUCCESS)
    cs_cpu_capture_invalidate(capture);
  return result;
}

CUresult cs_cpu_capture_copy(struct cs_cpu_stream *stream, const CUDA_MEMCPY3D *copy) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                              .memcpy = {.copyCtx = (CUcontext)stream->context, .copyParams = *copy}};
  return cs_cpu_capture_node(stream, &params, &node);
}

CUresult cs_cpu_capture_allocate(struct cs_cpu_stream *stream, struct cs_cpu_device *device, size_t size,
                                 CUdeviceptr *out) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {
      .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
      .alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->ordinal}},
                .bytesize = size}};
  CUresult result = cs_cpu_capture_node(stream, &params, &node);
  if (result == CUDA_SUCCESS)
    *out = params.alloc.dptr;
  return result;
}

CUresult cs_cpu_capture_free(struct cs_cpu_stream *stream, CUdeviceptr address) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {.dptr = address}};
  return cs_cpu_capture_node(stream, &params, &node);
}

/* --- events --- */

void cs_cpu_mark_clear(struct cs_cpu_mark *mark) {
  clear_set(&mark->nodes);
  mark->capture = 0;
}

CUresult cs_cpu_capture_mark(struct cs_cpu_stream *stream, struct cs_cpu_mark *mark) {
  cs_cpu_mark_clear(mark);
  mark->capture = stream->capture->id;
  return add_all(&mark->nodes, &stream->tail);
}

static struct cs_cpu_capture *find_capture(unsigned long long id) {
  pthread_mutex_lock(&lock);
  struct cs_cpu_capture *capture = captures;
  while (capture && capture->id != id)
    capture = capture->next;
  pthread_mutex_unlock(&lock);
  return capture;
}

/* The stream becomes part of the event's capture, or learns that it already is. */
CUresult cs_cpu_capture_join(struct cs_cpu_stream *stream, const struct cs_cpu_mark *mark) {
  struct cs_cpu_capture *capture = find_capture(mark->capture);
  if (!capture)
    return CUDA_ERROR_CAPTURED_EVENT; /* its capture has ended */
  if (atomic_load(&capture->invalid))
    return CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  if (stream == &stream->context->legacy) {
    cs_cpu_capture_invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  }
  if (stream->capture && stream->capture != capture) {
    cs_cpu_capture_invalidate(stream->capture);
    cs_cpu_capture_invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_MERGE;
  }
  pthread_mutex_lock(&lock);
  CUresult result = stream->capture ? CUDA_SUCCESS : cs_cpu_capture_enlist(capture, stream);
  pthread_mutex_unlock(&lock);
  return result == CUDA_SUCCESS ? add_all(&stream->tail, &mark->nodes) : result;
}
