/* user_object.c: objects of the program that graphs hold: a destructor called when the last reference is gone. */
#include "cpu/cuda/graph/user_object.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/work/devices.h"
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

struct user_object {
  uint32_t magic;
  atomic_uint references;
  void *data;
  CUhostFn destroy;
};

static CUresult object_of(CUuserObject handle, struct user_object **object) {
  *object = (struct user_object *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_USER_OBJECT, CUDA_ERROR_INVALID_VALUE);
}

CUresult cuUserObjectCreate(CUuserObject *out, void *data, CUhostFn destroy, unsigned int count, unsigned int flags) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !destroy || !count || count > 0x7fffffffu || flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC)
    return CUDA_ERROR_INVALID_VALUE;
  struct user_object *object = cs_cpu_object_new(CS_CPU_USER_OBJECT, sizeof *object);
  if (!object)
    return CUDA_ERROR_OUT_OF_MEMORY;
  atomic_store(&object->references, count);
  object->data = data;
  object->destroy = destroy;
  *out = (CUuserObject)object;
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject handle, unsigned int count) {
  struct user_object *object;
  CUresult result = count ? object_of(handle, &object) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    atomic_fetch_add(&object->references, count);
  return result;
}

CUresult cuUserObjectRelease(CUuserObject handle, unsigned int count) {
  struct user_object *object;
  CUresult result = count ? object_of(handle, &object) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  unsigned before = atomic_fetch_sub(&object->references, count);
  if (before < count) {
    atomic_fetch_add(&object->references, count);
    return CUDA_ERROR_INVALID_VALUE;
  }
  if (before == count) {
    object->destroy(object->data);
    cs_cpu_object_delete(object);
  }
  return CUDA_SUCCESS;
}

static struct cs_cpu_user_reference *find(struct cs_cpu_graph *graph, CUuserObject object) {
  for (size_t i = 0; i < graph->object_count; i++)
    if (graph->objects[i].object == object)
      return &graph->objects[i];
  return NULL;
}

/* Takes over references that the caller already counts. */
static CUresult adopt(struct cs_cpu_graph *graph, CUuserObject object, unsigned count) {
  struct cs_cpu_user_reference *reference = find(graph, object);
  if (!reference) {
    struct cs_cpu_user_reference *more = realloc(graph->objects, (graph->object_count + 1) * sizeof *more);
    if (!more)
      return CUDA_ERROR_OUT_OF_MEMORY;
    graph->objects = more;
    reference = &more[graph->object_count++];
    *reference = (struct cs_cpu_user_reference){object, 0};
  }
  reference->count += count;
  return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph handle, CUuserObject object, unsigned int count, unsigned int flags) {
  struct cs_cpu_graph *graph;
  struct user_object *known;
  CUresult result = cs_cpu_graph_of(handle, &graph);
  if (result == CUDA_SUCCESS)
    result = object_of(object, &known);
  if (result != CUDA_SUCCESS)
    return result;
  if (!count || (flags & ~(unsigned)CU_GRAPH_USER_OBJECT_MOVE))
    return CUDA_ERROR_INVALID_VALUE;
  if (!(flags & CU_GRAPH_USER_OBJECT_MOVE))
    atomic_fetch_add(&known->references, count);
  return adopt(graph, object, count);
}

CUresult cuGraphReleaseUserObject(CUgraph handle, CUuserObject object, unsigned int count) {
  struct cs_cpu_graph *graph;
  CUresult result = cs_cpu_graph_of(handle, &graph);
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_user_reference *reference = find(graph, object);
  if (!count || !reference || reference->count < count)
    return CUDA_ERROR_INVALID_VALUE;
  reference->count -= count;
  if (!reference->count)
    *reference = graph->objects[--graph->object_count];
  return cuUserObjectRelease(object, count);
}

CUresult cs_cpu_user_objects_copy(struct cs_cpu_graph *to, const struct cs_cpu_graph *from) {
  for (size_t i = 0; i < from->object_count; i++) {
    CUresult result = cuGraphRetainUserObject((CUgraph)to, from->objects[i].object, 1, 0);
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

void cs_cpu_user_objects_drop(struct cs_cpu_graph *graph) {
  for (size_t i = 0; i < graph->object_count; i++)
    cuUserObjectRelease(graph->objects[i].object, graph->objects[i].count);
  free(graph->objects);
  graph->objects = NULL;
  graph->object_count = 0;
}
