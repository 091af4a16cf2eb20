/* process.c: the heap of this process. */
#include "host/process/process.h"
#include "cusafe/init.h"
#include "host/base/detect.h"
#include "host/base/driver.h"
#include "host/base/loader.h"
#include "host/base/lock.h"
#include "host/base/messages.h"
#include "host/heap/init.h"
#include "host/process/vmm_driver.h"
#include "options/process.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static struct cs_host_heap *heap;

static cs_u32 default_placement(void) {
  const char *option = cs_options()->metadata;
  if (strcmp(option, "auto") != 0)
    return strcmp(option, "window") == 0 ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
  return cs_host_real_dlsym(RTLD_DEFAULT, "__cusafe_metadata_window") ? CS_PLACEMENT_WINDOW : CS_PLACEMENT_TABLE;
}

/* PTX is lifted when it is loaded, and buffers that were allocated before would count as initialised. */
static void expect_uninitialised(void) {
  if (cs_host_detects_one(CS_OPTIONS_DETECT_INIT) && cs_host_driver_lifts())
    cs_host_process_expect_init();
}

static struct cs_host_heap *make_heap(cs_u32 placement) {
  expect_uninitialised();
  struct cs_host_heap *made = cs_host_heap_new(&cs_host_vmm_driver, placement);
  if (made)
    return made;
  cs_host_message(0, "out of memory");
  abort();
}

struct cs_host_heap *cs_host_process_heap(void) {
  struct cs_host_heap *current = __atomic_load_n(&heap, __ATOMIC_ACQUIRE);
  if (current)
    return current;
  cs_host_lock(CS_HOST_LOCK_PROCESS);
  if (!heap)
    __atomic_store_n(&heap, make_heap(default_placement()), __ATOMIC_RELEASE);
  cs_host_unlock(CS_HOST_LOCK_PROCESS);
  return heap;
}

int cs_host_process_adopt_placement(cs_u32 placement) {
  if (cs_host_heap_placement(cs_host_process_heap()) == placement)
    return 0;
  cs_host_lock(CS_HOST_LOCK_PROCESS);
  int error = cs_host_heap_placement(heap) == placement ? 0 : cs_host_heap_close(heap);
  if (!error && cs_host_heap_placement(heap) != placement)
    __atomic_store_n(&heap, make_heap(placement), __ATOMIC_RELEASE);
  cs_host_unlock(CS_HOST_LOCK_PROCESS);
  return error;
}

int cs_host_process_expect_init(void) {
  static pthread_mutex_t mapping = PTHREAD_MUTEX_INITIALIZER;
  pthread_mutex_lock(&mapping);
  struct cs_host_heap *current = __atomic_load_n(&heap, __ATOMIC_ACQUIRE);
  int result = cs_host_init_map();
  if (result > 0 && current)
    cs_host_heap_each(current, cs_host_init_add, NULL);
  pthread_mutex_unlock(&mapping);
  return result < 0 ? -1 : 0;
}

/* The CPU device's runtime library calls this when a program registers kernels that use the shadow: modules are loaded
 * at the first launch, and buffers that were allocated before would count as initialised. */
__attribute__((visibility("default"))) void cusafe_expect_init(void) {
  cs_host_process_expect_init();
}
