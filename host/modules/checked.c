/* checked.c: the list of checked modules. It only grows, so readers need no lock. */
#include "host/modules/checked.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include <pthread.h>
#include <stdlib.h>

enum { MODULES_MAX = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct cs_host_checked *modules[MODULES_MAX];
static cs_u32 module_count, refused;

struct cs_host_checked *cs_host_checked_add(void *owner, struct cs_host_context *context, struct cs_module *table) {
  struct cs_host_checked *checked = calloc(1, sizeof *checked);
  if (!checked || cs_host_tally_open(&checked->tally, table->site_count)) {
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
  cs_host_message_once(0, "more than %d checked modules were loaded; errors in further ones are not reported",
                       MODULES_MAX);
  cs_host_tally_close(&checked->tally);
  free(checked);
  return NULL;
}

cs_u32 cs_host_checked_count(void) {
  return __atomic_load_n(&module_count, __ATOMIC_ACQUIRE);
}

struct cs_host_checked *cs_host_checked_by_number(cs_u32 number) {
  return number < cs_host_checked_count() ? modules[number] : NULL;
}

int cs_host_is_checked(const void *owner) {
  for (cs_u32 i = 0; i < cs_host_checked_count(); i++)
    if (modules[i]->owner == owner)
      return 1;
  return 0;
}

void cs_host_refused_add(void) {
  __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
  cs_host_degraded(CS_DEGRADED_MODULES);
}

cs_u32 cs_host_refused_count(void) {
  return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
