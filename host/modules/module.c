/* module.c: finds checked modules when they are loaded, and connects them to the host. */
#include "host/modules/module.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/modules/checked.h"
#include "host/modules/counts.h"
#include "host/modules/heatmap.h"
#include "host/modules/initialisers.h"
#include "host/modules/loaded.h"
#include "host/modules/stop.h"
#include "host/modules/unchecked.h"
#include "host/process/own_stream.h"
#include "host/process/shared.h"
#include "options/process.h"
#include "report/sites.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list of libraries */
static CUlibrary *libraries;
static cs_u32 library_count;

/* The table was copied after its header, so its size may have changed. Names are read up to their end: the last one has one. */
static int table_is_sound(const struct cs_module *m, size_t bytes) {
  struct cs_report_sites sites;
  return cs_report_sites_open(&sites, m, bytes) == 0 && m->string_bytes &&
         !((const char *)m)[m->string_offset + m->string_bytes - 1];
}

/* Copies the site table. Returns 0, with NULL after printing why the table cannot be used, or the driver's error. */
static int copy_table(CUdeviceptr address, size_t bytes, struct cs_module **copy) {
  struct cs_module header, *table = NULL;
  int error = bytes < sizeof header ? 0 : cs_host_own_read(&header, address, sizeof header);
  if (error)
    return error;
  if (bytes < sizeof header || header.magic != CS_ABI_MAGIC) {
    cs_host_message_once(0, "a module's site table cannot be read; its errors are not reported");
    return 0;
  }
  if (header.abi_version != CS_ABI_VERSION) {
    cs_host_message(
        0,
        "a module was compiled for version %u of CuSafe's ABI, but this library has version %d: the module runs, but "
        "its errors are not reported; recompile it",
        header.abi_version, CS_ABI_VERSION);
    return 0;
  }
  int fits = header.total_bytes >= sizeof header && header.total_bytes <= bytes;
  if (fits && !(table = malloc(header.total_bytes)))
    return CUDA_ERROR_OUT_OF_MEMORY;
  error = fits ? cs_host_own_read(table, address, header.total_bytes) : 0;
  if (!error && fits && table_is_sound(table, header.total_bytes)) {
    *copy = table;
    return 0;
  }
  free(table);
  if (!error)
    cs_host_message_once(0, "a module's site table is damaged; its errors are not reported");
  return error;
}

/* A site writes one record for each fault, so the ring does not wrap around. */
static int open_ring(struct cs_host_checked *c) {
  const struct cs_host_driver *d = cs_host_driver();
  cs_u32 max = (cs_u32)cs_options()->ring_records, sites = c->table->site_count,
         capacity = sites < max / CS_FAULT_COUNT ? sites * CS_FAULT_COUNT : max;
  size_t bytes = sizeof(struct cs_ring) + capacity * sizeof(struct cs_record);
  void *memory;
  CUdeviceptr device_address;
  CUresult error = d->cuMemHostAlloc(&memory, bytes, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP);
  if (error)
    return (int)error;
  error = d->cuMemHostGetDevicePointer_v2(&device_address, memory, 0);
  if (error) {
    d->cuMemFreeHost(memory);
    return (int)error;
  }
  memset(memory, 0, bytes);
  c->ring_device = device_address;
  ((struct cs_ring *)memory)->capacity = capacity;
  cs_host_stop_arm(memory);
  __atomic_store_n(&c->ring, memory, __ATOMIC_RELEASE);
  return 0;
}

static int write_objects(const struct cs_host_checked *c, const struct cs_object *objects) {
  CUdeviceptr to = c->context->objects + c->first_object * sizeof *objects;
  return cs_host_own_write(to, objects, c->table->object_count * sizeof *objects);
}

/* Adds the module's variables to the context's table. If there is no room, first_object is CS_HOST_OBJECTS, which the device
 * recognises. */
static int add_objects(struct cs_host_loaded image, struct cs_host_checked *c) {
  CUdeviceptr from;
  size_t bytes, count = c->table->object_count;
  c->first_object = CS_HOST_OBJECTS;
  if (!count)
    return 0;
  int error = cs_host_find_global(image, CS_SYM_OBJECTS, &from, &bytes);
  if (error || bytes / sizeof(struct cs_object) < count)
    return error && error != CUDA_ERROR_NOT_FOUND ? error : CUDA_ERROR_INVALID_IMAGE;
  c->first_object = count > CS_HOST_OBJECTS ? CS_HOST_OBJECTS : cs_host_context_take_objects(c->context, (cs_u32)count);
  if (c->first_object == CS_HOST_OBJECTS) {
    cs_host_message_once(1, "there are more than %u module variables; some are checked only in code that names them",
                         CS_HOST_OBJECTS);
    return 0;
  }
  struct cs_object *objects = malloc(count * sizeof *objects);
  error = objects ? cs_host_own_read(objects, from, count * sizeof *objects) : 2;
  if (!error)
    error = write_objects(c, objects);
  free(objects);
  return error;
}

/* An error that may be ignored must not stop the device; draining the rings then decides whether to halt. */
static cs_u32 mode(void) {
  static const cs_u32 modes[] = {[CS_OPTIONS_ON_ERROR_HALT] = CS_MODE_TRAP,
                                 [CS_OPTIONS_ON_ERROR_CONTINUE] = CS_MODE_PERFORM};
  enum cs_options_error_action on_error = cs_options_on_error(cs_options());
  if (on_error == CS_OPTIONS_ON_ERROR_HALT && cs_options_may_ignore(cs_options()))
    return CS_MODE_PERFORM;
  return on_error == CS_OPTIONS_ON_ERROR_CONTAIN ? 0 : modes[on_error];
}

static int write_state(const struct cs_host_checked *checked, CUdeviceptr state_address) {
  struct cs_state state = {.ring = checked->ring_device,
                           .sink = checked->context->sink,
                           .mode = mode(),
                           .module = checked->number,
                           .first_object = checked->first_object,
                           .objects = checked->context->objects,
                           .heap = checked->table->flags & CS_MODULE_HEAP ? checked->context->heap : 0};
  return cs_host_own_write(state_address, &state, sizeof state);
}

static int connect(struct cs_host_loaded image, struct cs_host_context *context, struct cs_module *table) {
  CUdeviceptr state;
  size_t bytes;
  if (cs_host_process_adopt_placement(table->placement)) {
    cs_host_message(
        0, "some modules of this program keep their metadata in a table and others in the window: compile all of them "
           "with the same --metadata");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  int error = cs_host_find_global(image, CS_SYM_STATE, &state, &bytes);
  if (error || bytes < sizeof(struct cs_state))
    return error && error != CUDA_ERROR_NOT_FOUND ? error : CUDA_ERROR_INVALID_IMAGE;
  error = cs_host_context_open(context);
  if (error)
    return error;
  struct cs_host_checked *checked = cs_host_checked_add(image.owner, context, table);
  if (!checked)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (cs_host_find_global(image, CS_SYM_COUNTS, &checked->counts, &bytes) ||
      bytes / sizeof(cs_fault_counts) < table->site_count)
    checked->counts = 0;
  if (cs_host_find_global(image, CS_SYM_CHECKS, &checked->checks, &bytes) || bytes < sizeof(cs_u64))
    checked->checks = 0;
  cs_host_message(2, "module %u: %u checked accesses", checked->number, table->site_count);
  error = open_ring(checked);
  if (!error && !(mode() & CS_MODE_TRAP)) /* a device that stops at the first error counts nothing */
    cs_host_heatmap_open(checked);
  if (!error)
    error = add_objects(image, checked);
  if (!error)
    error = cs_host_initialisers_bound(image, checked);
  if (!error && (table->flags & CS_MODULE_HEAP) && cs_host_context_open_heap(context))
    cs_host_degraded(CS_DEGRADED_KERNEL_HEAPS);
  return error ? error : write_state(checked, state);
}

static int attach_now(struct cs_host_loaded image, struct cs_host_context *context) {
  CUdeviceptr address;
  size_t bytes;
  int error = cs_host_find_global(image, CS_SYM_MODULE, &address, &bytes);
  if (error && error != CUDA_ERROR_NOT_FOUND)
    return error;
  if (error) {
    cs_host_message_once(1, "a module without checks was loaded; its kernels run unchecked");
    cs_host_unchecked(CS_HOST_UNCHECKED_MODULES);
    return 0;
  }
  struct cs_module *table = NULL;
  error = copy_table(address, bytes, &table);
  if (!error && !table)
    cs_host_refused_add();
  return error || !table ? error : connect(image, context, table);
}

/* A runtime library may load in the middle of a stream capture. */
static int attach(struct cs_host_loaded image, struct cs_host_context *context) {
  CUstreamCaptureMode capture = cs_host_capture_allow();
  int error = attach_now(image, context);
  if (error && error != CUDA_ERROR_INVALID_IMAGE)
    error = attach_now(image, context); /* the driver may have failed once only */
  cs_host_capture_restore(capture);
  if (error) {
    cs_host_message(0, "a checked module could not be connected (error %d)", error);
    cs_host_refused_add();
  }
  return error;
}

int cs_host_module_connection(CUmodule module, void **owner) {
  CUdeviceptr address;
  size_t bytes;
  struct cs_state state;
  if (cs_host_find_global((struct cs_host_loaded){module, 0}, CS_SYM_STATE, &address, &bytes) || bytes < sizeof state)
    return -1;
  *owner = NULL;
  if (cs_host_own_read(&state, address, sizeof state) || !state.ring)
    return 0;
  const struct cs_host_checked *c = cs_host_checked_by_number(state.module);
  if (c && c->context == cs_host_context_current() && c->ring && c->ring_device == state.ring)
    *owner = c->owner;
  return 0;
}

void cs_host_module_replaced(const void *owner) {
  for (cs_u32 i = 0; i < cs_host_checked_count(); i++) {
    struct cs_host_checked *c = cs_host_checked_by_number(i);
    if (c->owner == owner)
      c->counts = c->checks = c->heatmap = 0;
  }
}

int cs_host_module_loaded(CUmodule module) {
  struct cs_host_context *context;
  CUresult error = cs_host_context_find(&context);
  if (error)
    cs_host_refused_add();
  return context ? attach((struct cs_host_loaded){module, 0}, context) : (int)error;
}

int cs_host_library_loaded(CUlibrary library) {
  pthread_mutex_lock(&lock);
  void *grown = realloc(libraries, (library_count + 1) * sizeof *libraries);
  if (grown) {
    libraries = grown;
    libraries[library_count] = library;
    __atomic_store_n(&library_count, library_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  struct cs_host_context *context = cs_host_context_current();
  if (grown && context)
    cs_host_modules_attach(context);
  return grown ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The next library that this context has not seen; NULL when there is none. */
static CUlibrary unseen_library(struct cs_host_context *context) {
  CUlibrary library = NULL;
  pthread_mutex_lock(&lock);
  while (!library && context->libraries_seen < library_count)
    library = libraries[context->libraries_seen++];
  pthread_mutex_unlock(&lock);
  return library;
}

int cs_host_modules_attach(struct cs_host_context *context) {
  int attached = 0;
  if (context->libraries_seen == __atomic_load_n(&library_count, __ATOMIC_ACQUIRE))
    return 0;
  for (CUlibrary library; (library = unseen_library(context)); attached = 1)
    attach((struct cs_host_loaded){library, 1}, context);
  return attached;
}

/* Clears the table entries of the module's variables, so that stale pointers find no bounds, and frees the ring. */
static void take_back(struct cs_host_checked *c) {
  const struct cs_host_driver *d = cs_host_driver();
  CUcontext popped;
  struct cs_object *nothing = calloc(c->table->object_count + 1, sizeof *nothing);
  if (c->context->handle && !d->cuCtxPushCurrent_v2(c->context->handle)) {
    if (c->first_object < CS_HOST_OBJECTS && nothing && !write_objects(c, nothing))
      cs_host_context_give_objects(c->context, c->first_object, c->table->object_count);
    cs_host_heatmap_close(c);
    if (c->ring)
      d->cuMemFreeHost(c->ring);
    d->cuCtxPopCurrent_v2(&popped);
  }
  free(nothing);
  c->ring = NULL;
}

void cs_host_module_unloading(void *owner) {
  for (cs_u32 i = 0; i < cs_host_checked_count(); i++) {
    struct cs_host_checked *c = cs_host_checked_by_number(i);
    if (c->owner != owner || !c->context)
      continue;
    cs_host_checked_refresh(c);
    cs_host_checked_refresh_checks(c);
    take_back(c);
    c->context = NULL;
  }
  pthread_mutex_lock(&lock);
  for (cs_u32 i = 0; i < library_count; i++)
    if (libraries[i] == owner)
      libraries[i] = NULL;
  pthread_mutex_unlock(&lock);
}

void cs_host_modules_of_context_gone(struct cs_host_context *context) {
  for (cs_u32 i = 0; i < cs_host_checked_count(); i++) {
    struct cs_host_checked *c = cs_host_checked_by_number(i);
    if (c->context != context)
      continue;
    c->ring = NULL;
    c->heatmap = 0;
    c->context = NULL;
  }
}
