/* module.c: finds checked modules when they are loaded, and connects them to the host. */
#include "host/modules/module.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/modules/checked.h"
#include "host/modules/counts.h"
#include "host/modules/detectors.h"
#include "host/modules/heatmap.h"
#include "host/modules/initialisers.h"
#include "host/modules/loaded.h"
#include "host/modules/stop.h"
#include "host/modules/unchecked.h"
#include "host/process/own_stream.h"
#include "host/process/process.h"
#include "host/process/shared.h"
#include "options/process.h"
#include "report/sites.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A library that is loaded. It is attached in each context that launches. */
struct library {
  struct cs_host_loaded what;
  cs_u64 position; /* among all libraries so far, from 1 */
  unsigned users;  /* threads that attach it now */
  struct library *next;
};
static struct library *first_library, **last_library = &first_library; /* in the order of their positions */
static cs_u64 newest_library;                                          /* its position; may be read without the lock */

/* The table was copied after its header, so its size may have changed. Names are read up to their end: the last one has
 * one. A module without accesses has no names. */
static int table_is_sound(const struct cs_module *m, size_t bytes) {
  struct cs_report_sites sites;
  if (cs_report_sites_open(&sites, m, bytes) != 0)
    return 0;
  return m->string_bytes ? !((const char *)m)[m->string_offset + m->string_bytes - 1] : !m->site_count;
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
  c->capacity = capacity;
  ((struct cs_ring *)memory)->capacity = capacity;
  ((struct cs_ring *)memory)->bell = c->context->bell_device;
  cs_host_stop_arm(memory);
  __atomic_store_n(&c->ring, memory, __ATOMIC_RELEASE);
  return 0;
}

static int write_objects(const struct cs_host_checked *c, const struct cs_object *objects) {
  CUdeviceptr to = c->context->objects + c->first_object * sizeof *objects;
  return cs_host_own_write(to, objects, c->table->object_count * sizeof *objects);
}

/* Adds the module's variables to the context's table. If there is no room, first_object is CS_HOST_OBJECTS, which the
 * device recognises. */
static int add_objects(struct cs_host_loaded image, struct cs_host_checked *c) {
  CUdeviceptr from;
  size_t bytes, count = c->table->object_count;
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
static int performs; /* see cs_host_modules_perform() */

static cs_u32 mode_on_error(void) {
  static const cs_u32 modes[] = {[CS_OPTIONS_ON_ERROR_HALT] = CS_MODE_TRAP,
                                 [CS_OPTIONS_ON_ERROR_CONTINUE] = CS_MODE_PERFORM};
  enum cs_options_error_action on_error = cs_options_on_error(cs_options());
  if (__atomic_load_n(&performs, __ATOMIC_ACQUIRE) ||
      (on_error == CS_OPTIONS_ON_ERROR_HALT && cs_options_may_ignore(cs_options())))
    return CS_MODE_PERFORM;
  return on_error == CS_OPTIONS_ON_ERROR_CONTAIN ? 0 : modes[on_error];
}

static cs_u32 mode(void) {
  return mode_on_error() | (strcmp(cs_options()->init, "load") == 0 ? CS_MODE_LOADS : 0);
}

void cs_host_modules_perform(int all) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  __atomic_store_n(&performs, all, __ATOMIC_RELEASE);
  cs_u32 now = mode();
  for (const struct cs_host_checked *c = cs_host_checked_first(); c; c = c->next)
    cs_host_own_write(c->state + offsetof(struct cs_state, mode), &now, sizeof now);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

static int write_state(const struct cs_host_checked *checked) {
  struct cs_state state = {.ring = checked->ring_device,
                           .sink = checked->context->sink,
                           .mode = mode(),
                           .module = checked->number,
                           .first_object = checked->first_object,
                           .objects = checked->context->objects,
                           .heap = checked->table->flags & CS_MODULE_HEAP ? checked->context->heap : 0,
                           .races = checked->table->flags & CS_MODULE_RACE ? checked->context->races : 0};
  return cs_host_own_write(checked->state, &state, sizeof state);
}

static int placement_fits(const struct cs_module *table) {
  if (!cs_host_process_adopt_placement(table->placement))
    return 1;
  cs_host_message(
      0, "some modules of this program keep their metadata in a table and others in the window: compile all of them "
         "with the same --metadata");
  return 0;
}

static void find_counters(struct cs_host_loaded image, struct cs_host_checked *c) {
  size_t bytes;
  if (cs_host_find_global(image, CS_SYM_COUNTS, &c->counts, &bytes) ||
      bytes / sizeof(cs_fault_counts) < c->table->site_count)
    c->counts = 0;
  if (cs_host_find_global(image, CS_SYM_CHECKS, &c->checks, &bytes) || bytes < sizeof(cs_u64))
    c->checks = 0;
  if (!c->counts || !c->checks)
    cs_host_nothing_lost(); /* records report the errors, without totals */
}

/* Gives the module its ring and its place in the context's tables, and then its state, which makes its kernels record
 * errors. */
static int prepare(struct cs_host_loaded image, struct cs_host_checked *c) {
  size_t bytes;
  int error = cs_host_find_global(image, CS_SYM_STATE, &c->state, &bytes);
  if (error || bytes < sizeof(struct cs_state))
    return error && error != CUDA_ERROR_NOT_FOUND ? error : CUDA_ERROR_INVALID_IMAGE;
  find_counters(image, c);
  error = cs_host_context_open(c->context);
  if (!error)
    error = open_ring(c);
  if (!error && !(mode() & CS_MODE_TRAP)) /* a device that stops at the first error counts nothing */
    cs_host_heatmap_open(c);
  if (!error)
    error = add_objects(image, c);
  if (!error)
    error = cs_host_initialisers_bound(image, c);
  if (!error && (c->table->flags & CS_MODULE_HEAP) && cs_host_context_open_heap(c->context))
    cs_host_degraded(CS_DEGRADED_KERNEL_HEAPS);
  if (!error && (c->table->flags & CS_MODULE_RACE) && cs_host_context_open_races(c->context))
    cs_host_degraded(CS_DEGRADED_RACES);
  return error ? error : write_state(c);
}

static int can_run(const struct cs_module *table) {
  return placement_fits(table) && (!(table->flags & CS_MODULE_INIT) || cs_host_process_expect_init() == 0);
}

/* Takes the table. A module enters the list last: a thread that finds it there may use all of it. */
static int connect(struct cs_host_loaded image, struct cs_host_context *context, struct cs_module *table) {
  int fits = can_run(table);
  struct cs_host_checked *checked = fits ? cs_host_checked_new(image, context, table) : NULL;
  if (!checked) {
    free(table);
    return fits ? CUDA_ERROR_OUT_OF_MEMORY : CUDA_ERROR_INVALID_IMAGE;
  }
  int error = prepare(image, checked);
  if (error) {
    cs_host_modules_release(checked);
    return error;
  }
  cs_host_message(2, "module %u: %u checked accesses", checked->number, table->site_count);
  cs_host_detectors_compare(table->flags);
  cs_host_checked_add(checked);
  return 0;
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
    cs_host_detectors_compare(0);
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
  if (error && error != CUDA_ERROR_INVALID_IMAGE) {
    error = attach_now(image, context); /* the driver may have failed once only */
    if (!error)
      cs_host_nothing_lost();
  }
  cs_host_capture_restore(capture);
  if (error) {
    /* In a context that is lost, nothing runs; the error that lost it is reported. */
    cs_host_message(cs_host_is_sticky((CUresult)error), "a checked module could not be connected (error %d)", error);
    cs_host_refused_add();
  }
  return error;
}

int cs_host_module_connection(CUmodule module, struct cs_host_loaded *owner) {
  CUdeviceptr address;
  size_t bytes;
  struct cs_state state;
  if (cs_host_find_global((struct cs_host_loaded){module, 0, 0}, CS_SYM_STATE, &address, &bytes) ||
      bytes < sizeof state)
    return -1;
  *owner = (struct cs_host_loaded){0};
  if (!cs_host_own_read(&state, address, sizeof state) && state.ring)
    *owner = cs_host_checked_owner(state.module, cs_host_context_current(), state.ring);
  return 0;
}

void cs_host_module_replaced(cs_u64 number) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  for (struct cs_host_checked *c = cs_host_checked_first(); c; c = c->next)
    if (c->owner.number == number)
      c->counts = c->checks = c->heatmap = 0;
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
}

/* One thread at a time attaches modules in a context; the others wait, because their launches need them. */
static void begin_attaching(struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  while (context->attaching)
    cs_host_lock_wait(CS_HOST_LOCK_MODULES);
  context->attaching = 1;
  cs_host_unlock(CS_HOST_LOCK_MODULES);
}

static void end_attaching(struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  context->attaching = 0;
  cs_host_lock_wake(CS_HOST_LOCK_MODULES);
  cs_host_unlock(CS_HOST_LOCK_MODULES);
}

int cs_host_module_loaded(struct cs_host_loaded module) {
  struct cs_host_context *context;
  CUresult unknown = cs_host_context_find(&context);
  if (unknown)
    cs_host_refused_add();
  if (!context)
    return (int)unknown;
  begin_attaching(context);
  int error = attach(module, context);
  end_attaching(context);
  return error;
}

int cs_host_library_loaded(struct cs_host_loaded what) {
  struct library *library = calloc(1, sizeof *library);
  if (!library)
    return CUDA_ERROR_OUT_OF_MEMORY;
  library->what = what;
  cs_host_lock(CS_HOST_LOCK_MODULES);
  library->position = newest_library + 1;
  *last_library = library;
  last_library = &library->next;
  __atomic_store_n(&newest_library, library->position, __ATOMIC_RELEASE);
  cs_host_unlock(CS_HOST_LOCK_MODULES);
  struct cs_host_context *context = cs_host_context_current();
  if (context)
    cs_host_modules_attach(context);
  return 0;
}

/* The next library that this context has not seen; NULL when there is none. It is not unloaded before done_with(). */
static struct library *unseen_library(struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  struct library *library = first_library;
  while (library && library->position <= context->libraries_seen)
    library = library->next;
  if (library)
    library->users++;
  else
    __atomic_store_n(&context->libraries_seen, newest_library, __ATOMIC_RELEASE);
  cs_host_unlock(CS_HOST_LOCK_MODULES);
  return library;
}

static void done_with(struct library *library, struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  library->users--;
  __atomic_store_n(&context->libraries_seen, library->position, __ATOMIC_RELEASE);
  cs_host_lock_wake(CS_HOST_LOCK_MODULES);
  cs_host_unlock(CS_HOST_LOCK_MODULES);
}

void cs_host_modules_attach(struct cs_host_context *context) {
  if (__atomic_load_n(&context->libraries_seen, __ATOMIC_ACQUIRE) == __atomic_load_n(&newest_library, __ATOMIC_ACQUIRE))
    return;
  begin_attaching(context);
  for (struct library *library; (library = unseen_library(context));) {
    attach(library->what, context);
    done_with(library, context);
  }
  end_attaching(context);
}

void cs_host_library_forget(cs_u64 number) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  struct library **link = &first_library, *library;
  while ((library = *link) && library->what.number != number)
    link = &library->next;
  if (library) {
    *link = library->next;
    last_library = last_library == &library->next ? link : last_library;
  }
  while (library && library->users)
    cs_host_lock_wait(CS_HOST_LOCK_MODULES);
  cs_host_unlock(CS_HOST_LOCK_MODULES);
  free(library);
}

/* Clears the table entries of the module's variables, so that stale pointers find no bounds, and frees the ring. */
static void take_back(struct cs_host_checked *c) {
  struct cs_object *nothing = calloc(c->table->object_count + 1, sizeof *nothing);
  if (!cs_host_context_visit(c->context)) {
    if (c->first_object < CS_HOST_OBJECTS && nothing && !write_objects(c, nothing))
      cs_host_context_give_objects(c->context, c->first_object, c->table->object_count);
    cs_host_heatmap_close(c);
    if (c->ring)
      cs_host_driver()->cuMemFreeHost(c->ring);
    cs_host_context_leave(c->context);
  }
  free(nothing);
}

void cs_host_modules_release(struct cs_host_checked *list) {
  for (struct cs_host_checked *next; list; list = next) {
    next = list->next;
    take_back(list);
    cs_host_checked_delete(list);
  }
}

void cs_host_modules_drop(struct cs_host_checked *list) {
  for (struct cs_host_checked *next; list; list = next) {
    next = list->next;
    cs_host_checked_delete(list);
  }
}
