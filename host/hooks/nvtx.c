/* nvtx.c: libcusafe as NVTX's injection library: the memory annotations of nvToolsExtMem.h. `cusafe run` names it in
 * NVTX_INJECTION64_PATH.
 *
 * The structures are those of NVTX's public headers, as far as they are read here; names of fields are as there. A
 * program has its own copy of NVTX, which asks this library for the functions that fill its slots. */
#include "host/base/inside.h"
#include "host/hooks/divide.h"
#include <stddef.h>
#include <stdint.h>

#define EXPORTED __attribute__((visibility("default")))

/* ---- how NVTX finds its functions (nvtxExtTypes.h) ---- */

struct segment {
  size_t segmentId, slotCount;
  intptr_t *functionSlots;
};
struct module_info {
  uint16_t nvtxVer, structSize, moduleId, compatId;
  size_t segmentsCount;
  struct segment *segments;
};
enum { MODULE_MEMORY = 1 };

/* ---- the memory extension (nvToolsExtMem.h) ---- */

enum { TYPE_VIRTUAL_ADDRESS = 1, USAGE_SUB_ALLOCATOR = 1, MESSAGE_ASCII = 1 };
enum { MAY_READ = 1, MAY_WRITE = 2, MAY_ATOMIC = 4, RESET = 8 };

struct range {
  size_t size;
  const void *ptr;
};
struct heap_desc {
  uint16_t extCompatID, structSize;
  uint32_t reserved0, usage, type;
  size_t typeSpecificDescSize;
  const void *typeSpecificDesc;
};
struct register_batch {
  uint16_t extCompatID, structSize;
  uint32_t regionType;
  void *heap;
  size_t regionCount, regionDescElementSize;
  const void *regionDescElements;
  const void **regionHandleElementsOut;
};
struct resize_batch {
  uint16_t extCompatID, structSize;
  uint32_t regionType;
  size_t regionDescCount, regionDescElementSize;
  const void *regionDescElements;
};
struct unregister_batch {
  uint16_t extCompatID, structSize;
  uint32_t refType;
  size_t refCount, refElementSize;
  const void *refElements;
};
struct name_desc {
  uint32_t regionRefType, nameType;
  const void *region;
  const char *name;
};
struct name_batch {
  uint16_t extCompatID, structSize;
  uint32_t reserved0;
  size_t regionCount, regionElementSize;
  const void *regionElements;
};
struct assign_desc {
  uint32_t flags, regionRefType;
  const void *region;
};
struct assign_batch {
  uint16_t extCompatID, structSize;
  uint32_t reserved0;
  const void *permissions;
  size_t regionCount, regionElementSize;
  const void *regionElements;
};

/* Element i of an array whose elements may have grown. A handle of a region is its pointer. */
static const void *element(const void *first, size_t size, size_t i) {
  return (const char *)first + i * size;
}

static const void *on_heap_register(void *domain, const struct heap_desc *d) {
  (void)domain;
  const struct range *r = d && d->type == TYPE_VIRTUAL_ADDRESS ? d->typeSpecificDesc : NULL;
  if (!r || !cs_host_annotation_enter())
    return NULL;
  if (d->usage == USAGE_SUB_ALLOCATOR)
    cs_host_divide_hide((cs_u64)r->ptr, r->size);
  cs_host_inside_leave();
  return r->ptr;
}

static void end_heap(void *heap, int stays) {
  if (!heap || !cs_host_annotation_enter())
    return;
  cs_host_divide_pool_end((cs_u64)heap, stays);
  cs_host_inside_leave();
}

static void on_heap_unregister(void *domain, void *heap) {
  (void)domain;
  end_heap(heap, 0);
}

static void on_heap_reset(void *domain, void *heap) {
  (void)domain;
  end_heap(heap, 1);
}

static void on_register(void *domain, const struct register_batch *b) {
  (void)domain;
  if (!b || b->regionType != TYPE_VIRTUAL_ADDRESS || !cs_host_annotation_enter())
    return;
  for (size_t i = 0; i < b->regionCount; i++) {
    const struct range *r = element(b->regionDescElements, b->regionDescElementSize, i);
    cs_host_divide_add((cs_u64)r->ptr, r->size);
    if (b->regionHandleElementsOut)
      b->regionHandleElementsOut[i] = r->ptr;
  }
  cs_host_inside_leave();
}

static void on_resize(void *domain, const struct resize_batch *b) {
  (void)domain;
  if (!b || b->regionType != TYPE_VIRTUAL_ADDRESS || !cs_host_annotation_enter())
    return;
  for (size_t i = 0; i < b->regionDescCount; i++) {
    const struct range *r = element(b->regionDescElements, b->regionDescElementSize, i);
    cs_host_divide_resize((cs_u64)r->ptr, r->size);
  }
  cs_host_inside_leave();
}

static void on_unregister(void *domain, const struct unregister_batch *b) {
  (void)domain;
  if (!b || !cs_host_annotation_enter())
    return;
  for (size_t i = 0; i < b->refCount; i++)
    cs_host_divide_end("nvtxMemRegionsUnregister", *(const cs_u64 *)element(b->refElements, b->refElementSize, i));
  cs_host_inside_leave();
}

static void on_name(void *domain, const struct name_batch *b) {
  (void)domain;
  if (!b || !cs_host_annotation_enter())
    return;
  for (size_t i = 0; i < b->regionCount; i++) {
    const struct name_desc *d = element(b->regionElements, b->regionElementSize, i);
    if (d->nameType == MESSAGE_ASCII)
      cs_host_divide_name((cs_u64)d->region, d->name);
  }
  cs_host_inside_leave();
}

/* A region that may be accessed in one way may be accessed in all: checks do not differ by that. */
static void assign(const struct assign_desc *d) {
  int may_be_accessed = (d->flags & (MAY_READ | MAY_WRITE | MAY_ATOMIC | RESET)) != 0;
  cs_host_divide_permit("nvtxMemPermissionsAssign", (cs_u64)d->region, may_be_accessed);
}

/* Of all work. Permissions that a thread or a stream binds are not supported. */
static char process_wide;

static void on_assign(void *domain, const struct assign_batch *b) {
  (void)domain;
  if (!b || (b->permissions && b->permissions != &process_wide) || !cs_host_annotation_enter())
    return;
  for (size_t i = 0; i < b->regionCount; i++)
    assign(element(b->regionElements, b->regionElementSize, i));
  cs_host_inside_leave();
}

static const void *on_process_wide(void *domain) {
  (void)domain;
  return &process_wide;
}

/* ---- attaching ---- */

/* By number of the slot; those that are not here do nothing. */
static const struct {
  size_t slot;
  void (*function)(void);
} functions[] = {
    {0, (void (*)(void))on_heap_register}, {1, (void (*)(void))on_heap_unregister},
    {2, (void (*)(void))on_heap_reset},    {3, (void (*)(void))on_register},
    {4, (void (*)(void))on_resize},        {5, (void (*)(void))on_unregister},
    {6, (void (*)(void))on_name},          {7, (void (*)(void))on_assign},
    {13, (void (*)(void))on_process_wide},
};

int InitializeInjectionNvtxExtension(struct module_info *info);
EXPORTED int InitializeInjectionNvtxExtension(struct module_info *info) {
  if (!info || info->moduleId != MODULE_MEMORY || !info->segmentsCount)
    return 0;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (functions[i].slot < info->segments[0].slotCount)
      info->segments[0].functionSlots[functions[i].slot] = (intptr_t)functions[i].function;
  return 1;
}

/* NVTX's other annotations concern profilers. */
int InitializeInjectionNvtx2(const void *(*table)(uint32_t));
EXPORTED int InitializeInjectionNvtx2(const void *(*table)(uint32_t)) {
  (void)table;
  return 1;
}
