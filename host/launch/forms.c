/* forms.c: finds a kernel's fast form at its first launch, and decides for each launch which form runs. */
#include "host/launch/forms.h"
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/base/hash.h"
#include "host/base/lock.h"
#include "host/heap/divide.h"
#include "host/launch/decided.h"
#include "host/launch/predicate.h"
#include "host/launch/sample.h"
#include "host/modules/checked.h"
#include "host/modules/kernel.h"
#include "host/process/own_stream.h"
#include "options/process.h"
#include "report/formats.h"
#include <stdlib.h>
#include <string.h>

/* Launches of one grid, block and size of shared memory, for the option sample_first. */
enum { MAX_SHAPES = 64 }; /* of a kernel; those of further ones are sampled by chance */
struct shape {
  cs_u64 hash; /* never 0 */
  cs_u32 launches;
};

/* A kernel handle that was launched. */
struct kernel {
  struct cs_host_node node;    /* by handle */
  struct kernel *next, **link; /* of all */
  cs_u64 number; /* see struct cs_host_kernel_info: the driver may have given the handle to another kernel meanwhile */
  cs_u64 owner;  /* a number of struct cs_host_loaded */
  const struct cs_host_context *context; /* of a CUfunction */
  struct cs_host_form *form;             /* NULL: the kernel has no fast form */
  CUfunction fast;
  CUfunction bare; /* for launches that are not sampled; NULL: all are */
  struct shape *shapes;
  struct cs_host_decided *decided; /* with `form` */
  unsigned users;                  /* threads that evaluate the predicate now, without the lock */
  int is_gone;                     /* the last of them deletes it */
};

static struct cs_host_hash kernels;
static struct kernel *first;
static cs_u64 counts[CS_FORM_USED_COUNT], evaluations;

void cs_host_form_counts(cs_u64 *to) {
  for (int i = 0; i < CS_FORM_USED_COUNT; i++)
    to[i] = __atomic_load_n(&counts[i], __ATOMIC_RELAXED);
  to[CS_FORM_USED_BARE] += cs_host_kernel_repetitions();
}

cs_u64 cs_host_form_evaluations(void) {
  return __atomic_load_n(&evaluations, __ATOMIC_RELAXED);
}

/* ---- the fast form of a handle ---- */

static CUfunction find_fast(CUfunction function, const struct cs_host_kernel_info *info, const char *name) {
  const struct cs_host_driver *d = cs_host_driver_of_program();
  CUfunction fast = NULL;
  CUkernel kernel = NULL;
  CUmodule module = info->owner.handle;
  if (info->is_library)
    return d->cuLibraryGetKernel && !d->cuLibraryGetKernel(&kernel, info->owner.handle, name) ? (CUfunction)kernel
                                                                                              : NULL;
  if (d->cuFuncGetModule && d->cuFuncGetModule(&module, function))
    return NULL;
  return d->cuModuleGetFunction(&fast, module, name) ? NULL : fast;
}

static CUresult get(CUfunction function, CUfunction_attribute attribute, int *value, int is_library, CUdevice device) {
  const struct cs_host_driver *d = cs_host_driver_of_program();
  return is_library ? d->cuKernelGetAttribute(value, attribute, (CUkernel)function, device)
                    : d->cuFuncGetAttribute(value, attribute, function);
}

/* What the program has set of its kernel so far; later calls are passed on (hooks/forms.c). Returns 0, or -1 if the
 * other form may not run as the program wants. */
static int copy_settings(CUfunction from, CUfunction to, int is_library) {
  static const CUfunction_attribute settings[] = {
      CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
      CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE};
  const struct cs_host_driver *d = cs_host_driver_of_program();
  CUdevice device = 0;
  if (is_library && d->cuCtxGetDevice(&device))
    return -1;
  for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
    int wanted = 0, there = 0;
    CUresult error = get(from, settings[i], &wanted, is_library, device);
    if (!error)
      error = get(to, settings[i], &there, is_library, device);
    if (!error && wanted != there)
      error = is_library ? d->cuKernelSetAttribute(settings[i], wanted, (CUkernel)to, device)
                         : d->cuFuncSetAttribute(to, settings[i], wanted);
    if (error && error != CUDA_ERROR_INVALID_VALUE) /* this driver has no such attribute */
      return -1;
  }
  return 0;
}

static CUfunction find_form(CUfunction function, const struct cs_host_kernel_info *info, const char *name) {
  CUfunction form = find_fast(function, info, name);
  return form && copy_settings(function, form, info->is_library) ? NULL : form;
}

/* A fast form without checks is bare. */
static CUfunction find_bare(const struct kernel *k, CUfunction function, const struct cs_host_kernel_info *info) {
  if (k->fast && !k->form->form.checks && !k->form->form.bound_count)
    return k->fast;
  size_t length = strlen(info->name);
  char *name = malloc(length + sizeof CS_BARE_SUFFIX);
  if (!name)
    return NULL;
  memcpy(name, info->name, length);
  memcpy(name + length, CS_BARE_SUFFIX, sizeof CS_BARE_SUFFIX);
  CUfunction bare = find_form(function, info, name);
  free(name);
  return bare;
}

/* The driver may load the module only now, which a stream capture must not disturb. A handle that may name another
 * kernel by now has no fast form. */
static struct kernel *make(CUfunction function, const struct cs_host_kernel_info *info) {
  struct kernel *k = calloc(1, sizeof *k);
  if (!k)
    return NULL;
  *k = (struct kernel){.node.key = (uint64_t)function,
                       .number = info->number,
                       .owner = info->owner.number,
                       .context = info->is_library ? NULL : info->context};
  if (!info->is_guess) {
    CUstreamCaptureMode capture = cs_host_capture_allow();
    k->form = cs_host_checked_form(k->owner, info->name);
    k->decided = k->form ? cs_host_decided_make(k->form) : NULL;
    k->fast = k->decided ? find_form(function, info, k->form->fast) : NULL;
    k->bare = cs_host_sample_is_on() ? find_bare(k, function, info) : NULL;
    cs_host_capture_restore(capture);
  }
  if (!k->fast || !k->bare)
    cs_host_nothing_lost(); /* the kernel keeps all checks */
  return k;
}

static void delete(struct kernel *k) {
  cs_host_decided_delete(k->decided);
  free(k->form);
  free(k->shapes);
  free(k);
}

/* Under the lock, as the next three. */
static void take_out(struct kernel *k) {
  cs_host_changed();
  *k->link = k->next;
  if (k->next)
    k->next->link = k->link;
  cs_host_hash_remove(&kernels, &k->node);
  k->is_gone = 1;
  if (!k->users)
    delete(k);
}

static struct kernel *known(CUfunction function) {
  return (struct kernel *)cs_host_hash_find(&kernels, (uint64_t)function);
}

static int put_in(struct kernel *k) {
  if (cs_host_hash_add(&kernels, &k->node))
    return -1;
  k->next = first;
  k->link = &first;
  if (first)
    first->link = &k->next;
  first = k;
  return 0;
}

/* Of an owner, or of a context; the other is 0. */
static void forget(cs_u64 owner, const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_FORMS);
  for (struct kernel *k = first, *next; k; k = next) {
    next = k->next;
    if (owner ? k->owner == owner : k->context == context)
      take_out(k);
  }
  cs_host_unlock(CS_HOST_LOCK_FORMS);
}

void cs_host_forms_forget(cs_u64 owner) {
  forget(owner, NULL);
}

void cs_host_forms_forget_context(const struct cs_host_context *context) {
  forget(0, context);
}

/* Returns with the lock held; NULL, without it, if the handle is unknown, or its module is not connected or has no
 * checks. */
static struct kernel *find(CUfunction function) {
  struct cs_host_kernel_info info = cs_host_kernel_info(function);
  if (!info.name)
    return NULL;
  cs_host_lock(CS_HOST_LOCK_FORMS);
  struct kernel *k = known(function);
  if (k && k->number == info.number)
    return k;
  cs_host_unlock(CS_HOST_LOCK_FORMS);
  struct kernel *made = cs_host_is_checked(info.owner.number, NULL) ? make(function, &info) : NULL;
  cs_host_lock(CS_HOST_LOCK_FORMS);
  k = known(function);
  if (k && k->number == info.number) { /* another thread was faster */
    if (made)
      delete(made);
    return k;
  }
  if (k)
    take_out(k);
  if (made && !put_in(made))
    return made;
  cs_host_unlock(CS_HOST_LOCK_FORMS);
  cs_host_nothing_lost(); /* the kernel keeps all checks */
  if (made)
    delete(made);
  return NULL;
}

size_t cs_host_form_others(CUfunction function, CUfunction others[2]) {
  size_t count = 0;
  struct kernel *k = find(function);
  if (k && k->fast)
    others[count++] = k->fast;
  if (k && k->bare && k->bare != k->fast)
    others[count++] = k->bare;
  if (k)
    cs_host_unlock(CS_HOST_LOCK_FORMS);
  return count;
}

/* ---- what the predicate reads ---- */

/* As the device would find them; memory whose bounds the device may see in another order has none here. */
static struct cs_host_buffer_bounds bounds_of(cs_u64 pointer) {
  struct cs_host_heap *heap = cs_host_process_heap();
  struct cs_host_heap_buffer buffer;
  if (!cs_is_tagged(pointer))
    return (struct cs_host_buffer_bounds){0, pointer >> CS_ADDRESS_BITS || cs_is_null(pointer) ? 0 : ~0ull};
  struct cs_host_buffer_bounds bounds = {cs_buffer_start(pointer, cs_host_heap_placement(heap)), 0};
  if (!cs_host_heap_find(heap, pointer, &buffer) && !buffer.freed && !buffer.freeing &&
      (buffer.start == bounds.start || cs_host_is_carved(&buffer)) && !cs_host_is_graph(buffer.call) &&
      cs_host_heap_grants(heap, buffer.start, buffer.size)) {
    bounds.start = buffer.start;
    bounds.size = buffer.size;
  }
  return bounds;
}

static void bounds_of_all(const cs_u64 *pointers, unsigned count, struct cs_host_buffer_bounds *bounds) {
  struct cs_host_heap *heap = cs_host_process_heap();
  cs_u32 placement = cs_host_heap_placement(heap);
  cs_u64 sizes[CS_HOST_ALIKE_READS];
  cs_host_heap_whole_sizes(heap, pointers, count, sizes);
  for (unsigned i = 0; i < count; i++)
    if (sizes[i] == CS_HOST_HEAP_NOT_WHOLE)
      bounds[i] = bounds_of(pointers[i]);
    else
      bounds[i] = (struct cs_host_buffer_bounds){cs_buffer_start(pointers[i], placement), sizes[i]};
}

static const char *packed_in(void **extra, size_t *bytes) {
  const char *buffer = NULL;
  *bytes = 0;
  for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      buffer = extra[1];
    else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1])
      *bytes = *(const size_t *)extra[1];
  }
  return buffer;
}

/* The value of each parameter. Returns 0, or -1 if they are not all there, or too many. */
static int list_arguments(const struct cs_host_form *form, const struct cs_host_launch *launch, const char **values) {
  size_t bytes;
  const char *packed = launch->parameters ? NULL : packed_in(launch->extra, &bytes);
  cs_u32 count = form->form.parameter_count;
  if (count + form->form.bound_count > CS_HOST_FORM_PARAMETERS || (count && !launch->parameters && !packed))
    return -1;
  for (cs_u32 i = 0; i < count; i++) {
    const struct cs_kernel_parameter *p = &form->parameters[i];
    if (packed && (bytes < p->offset || bytes - p->offset < p->size))
      return -1;
    values[i] = packed ? packed + p->offset : launch->parameters[i];
    if (!values[i])
      return -1;
  }
  return 0;
}

/* ---- the decision ---- */

static void shape_of(const struct cs_host_launch *launch, cs_u32 *shape) {
  memcpy(shape, launch->grid, sizeof launch->grid);
  memcpy(shape + 3, launch->block, sizeof launch->block);
  shape[6] = launch->dynamic;
}

/* With the lock, which is released while the predicate is evaluated. Returns -1 if the kernel is gone since, and
 * deleted. */
static int evaluate(struct kernel *k, const struct cs_host_launch_values *given, struct cs_host_found *found,
                    cs_u64 *bounds) {
  struct cs_host_form form = *k->form;
  int is_shared = k->users != 0; /* another thread uses the values of the form */
  k->users++;
  cs_host_unlock(CS_HOST_LOCK_FORMS);
  __atomic_fetch_add(&evaluations, 1, __ATOMIC_RELAXED);
  if (is_shared)
    form.values = calloc(form.form.operation_count + 1u, sizeof *form.values);
  int holds = form.values ? cs_host_predicate_holds(&form, given, found, bounds) : 0;
  if (is_shared)
    free(form.values);
  cs_host_lock(CS_HOST_LOCK_FORMS);
  k->users--;
  if (!k->is_gone)
    return holds;
  if (!k->users)
    delete(k);
  return -1;
}

/* As evaluate(), which is asked for launches that were not decided before. */
static int holds(struct kernel *k, const struct cs_host_launch *launch, const char *const *values,
                 struct cs_host_choice *choice) {
  struct cs_host_launch_values given = {
      .dynamic = launch->dynamic, .parameters = values, .bounds_of = bounds_of, .bounds_of_all = bounds_of_all};
  struct cs_host_asked asked;
  struct cs_host_alike_key key;
  memcpy(given.grid, launch->grid, sizeof given.grid);
  memcpy(given.block, launch->block, sizeof given.block);
  cs_host_decided_ask(k->form, &given, cs_host_heap_frees(cs_host_process_heap()), &asked);
  if (cs_host_decided_same(k->decided, k->form, &asked, choice->bounds))
    return 1;
  if (!choice->is_node && cs_host_decided_fails(k->decided, &asked))
    return 0;
  if (cs_host_decided_alike(k->decided, k->form, &given, &asked, &key, choice->bounds))
    return 1;
  int result = evaluate(k, &given, &key.found, choice->bounds);
  if (result > 0)
    cs_host_decided_add(k->decided, k->form, &asked, &key, choice->bounds);
  if (result == 0 && !choice->is_node)
    cs_host_decided_add_failure(k->decided, &asked);
  return result;
}

/* The further parameters follow the program's. */
static int add_bounds(const struct cs_host_form *form, const char *const *values, const struct cs_host_launch *launch,
                      struct cs_host_choice *choice) {
  cs_u32 count = form->form.parameter_count, more = form->form.bound_count;
  if (more == 0)
    return 0;
  if (launch->parameters || !launch->extra) {
    for (cs_u32 i = 0; i < count; i++)
      choice->list[i] = (void *)values[i];
    for (cs_u32 i = 0; i < more; i++)
      choice->list[count + i] = &choice->bounds[i];
    choice->parameters = choice->list;
    return 0;
  }
  size_t end = count ? form->parameters[count - 1].offset + form->parameters[count - 1].size : 0;
  end = (end + 7) & ~(size_t)7;
  if (end + more * sizeof *choice->bounds > sizeof choice->buffer)
    return -1;
  for (cs_u32 i = 0; i < count; i++)
    memcpy(choice->buffer + form->parameters[i].offset, values[i], form->parameters[i].size);
  memcpy(choice->buffer + end, choice->bounds, more * sizeof *choice->bounds);
  choice->extra_bytes = end + more * sizeof *choice->bounds;
  void *extras[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, choice->buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &choice->extra_bytes,
                    CU_LAUNCH_PARAM_END};
  memcpy(choice->extras, extras, sizeof extras);
  choice->extra = choice->extras;
  return 0;
}

/* Under the lock; k may be deleted. */
static enum cs_form_used decide(struct kernel *k, const struct cs_host_launch *launch, struct cs_host_choice *choice) {
  const char *values[CS_HOST_FORM_PARAMETERS];
  if (!k->form || !k->fast)
    return CS_FORM_USED_ALONE;
  if (!launch->grid[0] || !launch->grid[1] || !launch->grid[2] || list_arguments(k->form, launch, values))
    return CS_FORM_USED_UNKNOWN;
  int result = holds(k, launch, values, choice);
  if (result <= 0)
    return result < 0 ? CS_FORM_USED_ALONE : CS_FORM_USED_FAILED;
  if (add_bounds(k->form, values, launch, choice))
    return CS_FORM_USED_UNKNOWN;
  choice->function = k->fast;
  choice->bound_count = k->form->form.bound_count;
  return k->form->form.checks ? CS_FORM_USED_BOUNDED : CS_FORM_USED_UNCHECKED;
}

/* ---- sampling ---- */

/* Never 0. */
static cs_u64 hash_of_shape(const struct cs_host_launch *launch) {
  cs_u32 shape[8] = {0};
  cs_u64 words[4], hash = 0;
  shape_of(launch, shape);
  memcpy(words, shape, sizeof words);
  for (int i = 0; i < 4; i++)
    hash = (hash ^ words[i]) * 0x9e3779b97f4a7c15ull + (hash >> 32);
  return hash | 1;
}

/* Its slot, or NULL if there is none left. */
static struct shape *find_shape(struct kernel *k, cs_u64 hash) {
  if (!k->shapes && !(k->shapes = calloc(MAX_SHAPES, sizeof *k->shapes)))
    return NULL;
  for (unsigned i = 0; i < MAX_SHAPES; i++) {
    struct shape *s = &k->shapes[((hash >> 40) + i) % MAX_SHAPES];
    if (!s->hash)
      s->hash = hash;
    if (s->hash == hash)
      return s;
  }
  return NULL;
}

/* Whether it is one of the first launches of the kernel with this shape. Under the lock. */
static int is_among_first(struct kernel *k, const struct cs_host_launch *launch) {
  cs_u32 limit = cs_host_sample_first();
  struct shape *s = limit ? find_shape(k, hash_of_shape(launch)) : NULL;
  return s && s->launches < limit && ++s->launches;
}

static int runs_bare(struct kernel *k, const struct cs_host_launch *launch) {
  return k->bare && !is_among_first(k, launch) && !cs_host_sample_takes();
}

static enum cs_form_used choose(struct kernel *k, const struct cs_host_launch *launch, struct cs_host_choice *choice) {
  if (runs_bare(k, launch)) {
    choice->function = k->bare;
    return CS_FORM_USED_BARE;
  }
  return cs_options()->fast_forms ? decide(k, launch, choice) : CS_FORM_USED_ALONE;
}

static void choose_own(const struct cs_host_launch *launch, int is_node, struct cs_host_choice *choice) {
  choice->is_node = is_node;
  choice->function = launch->function;
  choice->is_bare = 0;
  choice->parameters = launch->parameters;
  choice->extra = launch->extra;
  choice->bound_count = 0;
}

/* Captured launches are counted when their graph is launched. */
void cs_host_form_choose(const struct cs_host_launch *launch, int is_captured, struct cs_host_choice *choice) {
  choose_own(launch, 0, choice);
  if (is_captured || (!cs_options()->fast_forms && !cs_host_sample_is_on()))
    return;
  struct kernel *k = find(launch->function);
  enum cs_form_used used = k ? choose(k, launch, choice) : CS_FORM_USED_ALONE;
  if (k)
    cs_host_unlock(CS_HOST_LOCK_FORMS);
  choice->is_bare = used == CS_FORM_USED_BARE;
  __atomic_fetch_add(&counts[used], 1, __ATOMIC_RELAXED);
}

int cs_host_form_of_node(const struct cs_host_launch *node, int is_bare, struct cs_host_choice *choice) {
  enum cs_form_used used = CS_FORM_USED_ALONE;
  choose_own(node, 1, choice);
  struct kernel *k = find(node->function);
  if (k && is_bare && k->bare) {
    choice->function = k->bare;
    used = CS_FORM_USED_BARE;
  } else if (k && cs_options()->fast_forms)
    used = decide(k, node, choice);
  if (k)
    cs_host_unlock(CS_HOST_LOCK_FORMS);
  return (int)used;
}

void cs_host_form_count(const cs_u64 *more) {
  for (int i = 0; i < CS_FORM_USED_COUNT; i++)
    if (more[i])
      __atomic_fetch_add(&counts[i], more[i], __ATOMIC_RELAXED);
}
