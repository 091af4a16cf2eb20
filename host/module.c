/* module.c: finds checked modules when they are loaded, and connects them to the host. */
#include "host/module.h"
#include "host/options.h"
#include "host/say.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MODULES_MAX = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_checked *modules[MODULES_MAX];
static cs_u32 module_count;
static CUlibrary *libraries;
static cs_u32 library_count;

/* Where a module's or a library's variable lies in the current context. */
struct image {
  void *owner;
  int is_library;
};

static int find_global(struct image image, const char *name, CUdeviceptr *address, size_t *bytes) {
  const struct cs_driver *d = cs_driver();
  if (image.is_library)
    return !d->cuLibraryGetGlobal || d->cuLibraryGetGlobal(address, bytes, image.owner, name) ? -1 : 0;
  return !d->cuModuleGetGlobal_v2 || d->cuModuleGetGlobal_v2(address, bytes, image.owner, name) ? -1 : 0;
}

static int in_table(cs_u64 offset, cs_u64 count, cs_u64 size, cs_u64 total) {
  return offset + count * size <= total;
}

static int table_is_sound(const struct cs_module *m) {
  return in_table(m->site_offset, m->site_count, sizeof(struct cs_site), m->total_bytes) &&
         in_table(m->frame_offset, m->frame_count, sizeof(struct cs_frame), m->total_bytes) &&
         in_table(m->string_offset, m->string_bytes, 1, m->total_bytes);
}

/* A copy of the site table, or NULL with one sentence on why. */
static struct cs_module *copy_table(CUdeviceptr address, size_t bytes) {
  struct cs_module header, *table = NULL;
  if (bytes < sizeof header || cs_driver()->cuMemcpyDtoH_v2(&header, address, sizeof header) ||
      header.magic != CS_ABI_MAGIC) {
    cs_say_once(0, "a module's site table cannot be read; its errors will have no source lines");
    return NULL;
  }
  if (header.abi_version != CS_ABI_VERSION) {
    cs_say(
        0,
        "a module was compiled for version %u of CuSafe's interface, and this is version %d: it runs, but its errors "
        "are not reported; compile it again",
        header.abi_version, CS_ABI_VERSION);
    return NULL;
  }
  if (header.total_bytes >= sizeof header && header.total_bytes <= bytes)
    table = malloc(header.total_bytes);
  if (!table || cs_driver()->cuMemcpyDtoH_v2(table, address, header.total_bytes) || !table_is_sound(table)) {
    cs_say_once(0, "a module's site table is damaged; its errors are not reported");
    free(table);
    return NULL;
  }
  return table;
}

static int tell_module(const struct cs_checked *checked, CUdeviceptr state_address) {
  struct cs_state state = {.ring = checked->context->ring_device,
                           .sink = checked->context->sink,
                           .mode = cs_options()->halt_on_error ? CS_MODE_TRAP : 0,
                           .module = checked->number};
  return (int)cs_driver()->cuMemcpyHtoD_v2(state_address, &state, sizeof state);
}

static struct cs_checked *add_checked(void *owner, struct cs_context *context, struct cs_module *table) {
  struct cs_checked *checked = calloc(1, sizeof *checked);
  if (!checked || cs_tally_open(&checked->tally, table->site_count)) {
    free(checked);
    return NULL;
  }
  checked->owner = owner;
  checked->context = context;
  checked->table = table;
  pthread_mutex_lock(&lock);
  int full = module_count == MODULES_MAX;
  if (!full) {
    checked->number = module_count;
    modules[module_count] = checked;
    __atomic_store_n(&module_count, module_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  if (!full)
    return checked;
  cs_say_once(0, "more than %d checked modules were loaded; errors in further ones are not reported", MODULES_MAX);
  cs_tally_close(&checked->tally);
  free(checked);
  return NULL;
}

static int connect(struct image image, struct cs_context *context, struct cs_module *table) {
  CUdeviceptr state;
  size_t bytes;
  if (cs_process_adopt_placement(table->placement)) {
    cs_say(0,
           "this program has modules with their bounds in a table and others with them in the window: compile all of "
           "it with the same --metadata");
    return CUDA_ERROR_INVALID_IMAGE;
  }
  if (find_global(image, CS_SYM_STATE, &state, &bytes) || bytes < sizeof(struct cs_state))
    return CUDA_ERROR_INVALID_IMAGE;
  int error = cs_context_open_ring(context);
  if (error)
    return error;
  struct cs_checked *checked = add_checked(image.owner, context, table);
  if (!checked)
    return CUDA_ERROR_OUT_OF_MEMORY;
  if (find_global(image, CS_SYM_COUNTS, &checked->counts, &bytes) || bytes / 4 < table->site_count)
    checked->counts = 0;
  cs_say(2, "module %u: %u checked accesses", checked->number, table->site_count);
  return tell_module(checked, state);
}

static int attach(struct image image, struct cs_context *context) {
  CUdeviceptr address;
  size_t bytes;
  if (find_global(image, CS_SYM_MODULE, &address, &bytes)) {
    cs_say_once(1, "a module without checks was loaded; its kernels run unchecked");
    return 0;
  }
  struct cs_module *table = copy_table(address, bytes);
  int error = table ? connect(image, context, table) : 0;
  if (error)
    cs_say(0, "a checked module could not be connected (error %d)", error);
  return error;
}

int cs_module_loaded(CUmodule module) {
  struct cs_context *context = cs_context_current();
  return context ? attach((struct image){module, 0}, context) : 0;
}

int cs_library_loaded(CUlibrary library) {
  pthread_mutex_lock(&lock);
  void *grown = realloc(libraries, (library_count + 1) * sizeof *libraries);
  if (grown) {
    libraries = grown;
    libraries[library_count] = library;
    __atomic_store_n(&library_count, library_count + 1, __ATOMIC_RELEASE);
  }
  pthread_mutex_unlock(&lock);
  struct cs_context *context = cs_context_current();
  if (grown && context)
    cs_modules_attach(context);
  return grown ? 0 : CUDA_ERROR_OUT_OF_MEMORY;
}

/* The next library that this context has not seen; NULL when there is none. */
static CUlibrary unseen_library(struct cs_context *context) {
  CUlibrary library = NULL;
  pthread_mutex_lock(&lock);
  while (!library && context->libraries_seen < library_count)
    library = libraries[context->libraries_seen++];
  pthread_mutex_unlock(&lock);
  return library;
}

void cs_modules_attach(struct cs_context *context) {
  if (context->libraries_seen == __atomic_load_n(&library_count, __ATOMIC_ACQUIRE))
    return;
  for (CUlibrary library; (library = unseen_library(context));)
    attach((struct image){library, 1}, context);
}

cs_u32 cs_checked_count(void) {
  return __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
}

struct cs_checked *cs_checked_by_number(cs_u32 number) {
  return number < cs_checked_count() ? modules[number] : NULL;
}

void cs_module_unloading(void *owner) {
  for (cs_u32 i = 0; i < cs_checked_count(); i++)
    if (modules[i]->owner == owner && modules[i]->context) {
      cs_checked_refresh(modules[i]);
      modules[i]->context = NULL;
    }
  pthread_mutex_lock(&lock);
  for (cs_u32 i = 0; i < library_count; i++)
    if (libraries[i] == owner)
      libraries[i] = NULL;
  pthread_mutex_unlock(&lock);
}

void cs_modules_of_context_gone(struct cs_context *context) {
  for (cs_u32 i = 0; i < cs_checked_count(); i++)
    if (modules[i]->context == context)
      modules[i]->context = NULL;
}

int cs_checked_refresh(struct cs_checked *c) {
  const struct cs_driver *d = cs_driver();
  CUcontext popped;
  if (!c->counts || !c->context || !c->context->handle || d->cuCtxPushCurrent_v2(c->context->handle))
    return -1;
  cs_u32 *counts = calloc(c->tally.site_count + 1, sizeof *counts);
  int error = !counts || d->cuMemcpyDtoH_v2(counts, c->counts, c->tally.site_count * sizeof *counts) ? -1 : 0;
  if (!error)
    cs_tally_counts(&c->tally, counts);
  free(counts);
  d->cuCtxPopCurrent_v2(&popped);
  return error;
}
