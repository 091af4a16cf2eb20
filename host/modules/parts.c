/* parts.c: a list of parts. There are few: one for each kernel of a large PTX module that the program has looked up. */
#include "host/modules/parts.h"
#include "host/base/lock.h"
#include <stdlib.h>

struct part {
  void *handle;
  void *whole;
  struct part *next;
};

static struct part *first;

int cs_host_part_add(void *handle, void *whole) {
  struct part *made = malloc(sizeof *made);
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  const struct part *known = first;
  while (known && known->handle != handle)
    known = known->next;
  int is_new = made && !known;
  if (is_new) {
    *made = (struct part){handle, whole, first};
    first = made;
  }
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  if (!is_new)
    free(made);
  return is_new;
}

void *cs_host_part_whole(void *handle) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  const struct part *known = first;
  while (known && known->handle != handle)
    known = known->next;
  void *whole = known ? known->whole : handle;
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  return whole;
}

void *cs_host_part_take(const void *whole) {
  cs_host_lock(CS_HOST_LOCK_KNOWN);
  struct part **link = &first;
  while (*link && (*link)->whole != whole)
    link = &(*link)->next;
  struct part *found = *link;
  if (found)
    *link = found->next;
  cs_host_unlock(CS_HOST_LOCK_KNOWN);
  void *handle = found ? found->handle : NULL;
  free(found);
  return handle;
}
