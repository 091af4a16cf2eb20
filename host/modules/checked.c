/* checked.c: the list of checked modules. It grows at its start, and shrinks only under drain.c's lock, so that
 * draining reads it without a lock of its own. */
#include "host/modules/checked.h"
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "report/fingerprint.h"
#include "report/numbers.h"
#include <stdio.h>
#include <stdlib.h>

static struct cs_host_checked *first;
static cs_u32 numbers, added, refused;

struct cs_host_checked *cs_host_checked_new(struct cs_host_loaded owner, struct cs_host_context *context,
                                            struct cs_module *table) {
  struct cs_host_checked *checked = calloc(1, sizeof *checked);
  if (!checked || cs_host_tally_open(&checked->tally, table->site_count)) {
    free(checked);
    return NULL;
  }
  checked->number = __atomic_fetch_add(&numbers, 1, __ATOMIC_RELAXED);
  checked->owner = owner;
  checked->context = context;
  checked->table = table;
  checked->first_object = CS_HOST_OBJECTS;
  return checked;
}

void cs_host_checked_delete(struct cs_host_checked *checked) {
  cs_host_tally_close(&checked->tally);
  cs_report_numbers_delete(checked->numbers);
  free(checked->heatmap_copy);
  free(checked->table);
  free(checked);
}

const char *cs_host_checked_hash(struct cs_host_checked *checked) {
  if (!*checked->hash)
    snprintf(checked->hash, sizeof checked->hash, "%016llx",
             cs_report_hash(checked->table, checked->table->total_bytes));
  return checked->hash;
}

cs_u32 cs_host_checked_number(struct cs_host_checked *checked, cs_u32 site) {
  if (!checked->numbers)
    checked->numbers = cs_report_numbers_new(checked->table, checked->table->total_bytes);
  return checked->numbers ? cs_report_number(checked->numbers, site) : 0;
}

void cs_host_checked_add(struct cs_host_checked *checked) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  checked->next = first;
  __atomic_store_n(&first, checked, __ATOMIC_RELEASE);
  __atomic_add_fetch(&added, !checked->is_counted, __ATOMIC_RELEASE);
  checked->is_counted = 1;
  cs_host_unlock(CS_HOST_LOCK_MODULES);
}

struct cs_host_checked *cs_host_checked_first(void) {
  return __atomic_load_n(&first, __ATOMIC_ACQUIRE);
}

struct cs_host_checked *cs_host_checked_take(cs_u64 owner, const struct cs_host_context *context) {
  struct cs_host_checked *taken = NULL;
  cs_host_lock(CS_HOST_LOCK_MODULES);
  for (struct cs_host_checked **link = &first, *c; (c = *link);) {
    if (owner ? c->owner.number != owner : c->context != context) {
      link = &c->next;
      continue;
    }
    __atomic_store_n(link, c->next, __ATOMIC_RELEASE);
    c->next = taken;
    taken = c;
  }
  cs_host_unlock(CS_HOST_LOCK_MODULES);
  return taken;
}

cs_u32 cs_host_checked_count(void) {
  return __atomic_load_n(&added, __ATOMIC_ACQUIRE);
}

int cs_host_is_checked(cs_u64 owner, const struct cs_host_context *context) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  const struct cs_host_checked *c = first;
  while (c && (c->owner.number != owner || (context && c->context != context)))
    c = c->next;
  cs_host_unlock(CS_HOST_LOCK_MODULES);
  return c != NULL;
}

struct cs_host_loaded cs_host_checked_owner(cs_u32 number, const struct cs_host_context *context, cs_u64 ring_device) {
  cs_host_lock(CS_HOST_LOCK_MODULES);
  const struct cs_host_checked *c = first;
  while (c && (c->number != number || c->context != context || c->ring_device != ring_device))
    c = c->next;
  struct cs_host_loaded owner = c ? c->owner : (struct cs_host_loaded){0};
  cs_host_unlock(CS_HOST_LOCK_MODULES);
  return owner;
}

struct cs_host_form *cs_host_checked_form(cs_u64 owner, const char *kernel) {
  struct cs_host_form found, *copy = NULL;
  cs_host_lock(CS_HOST_LOCK_MODULES);
  for (const struct cs_host_checked *c = first; c && !copy; c = c->next)
    if (c->owner.number == owner && !cs_host_form_find(c->table, kernel, &found))
      copy = cs_host_form_copy(&found);
  cs_host_unlock(CS_HOST_LOCK_MODULES);
  return copy;
}

void cs_host_refused_add(void) {
  __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
  cs_host_degraded(CS_DEGRADED_MODULES);
}

cs_u32 cs_host_refused_count(void) {
  return __atomic_load_n(&refused, __ATOMIC_RELAXED);
}
