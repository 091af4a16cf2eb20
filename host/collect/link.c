/* link.c: the list of nvJitLink's links, and their PTX. */
#include "host/collect/link.h"
#include "host/base/lock.h"
#include <stdlib.h>
#include <string.h>

static struct cs_host_link *links; /* under CS_HOST_LOCK_LINKS */

struct cs_host_link *cs_host_link_add(nvJitLinkHandle handle) {
  struct cs_host_link *link = calloc(1, sizeof *link);
  if (!link)
    return NULL;
  link->handle = handle;
  cs_host_lock(CS_HOST_LOCK_LINKS);
  link->next = links;
  links = link;
  cs_host_unlock(CS_HOST_LOCK_LINKS);
  return link;
}

static struct cs_host_link **slot_of(nvJitLinkHandle handle) {
  struct cs_host_link **slot = &links;
  while (*slot && (*slot)->handle != handle)
    slot = &(*slot)->next;
  return slot;
}

struct cs_host_link *cs_host_link_find(nvJitLinkHandle handle) {
  cs_host_lock(CS_HOST_LOCK_LINKS);
  struct cs_host_link *link = *slot_of(handle);
  cs_host_unlock(CS_HOST_LOCK_LINKS);
  return link;
}

struct cs_host_link *cs_host_link_take(nvJitLinkHandle handle) {
  cs_host_lock(CS_HOST_LOCK_LINKS);
  struct cs_host_link **slot = slot_of(handle), *link = *slot;
  if (link)
    *slot = link->next;
  cs_host_unlock(CS_HOST_LOCK_LINKS);
  return link;
}

void cs_host_link_free(struct cs_host_link *link) {
  free(link->ptx);
  free(link);
}

void cs_host_link_keep(struct cs_host_link *link, const char *ptx, size_t bytes) {
  int is_second = link->ptx != NULL;
  if (!is_second)
    link->ptx = strndup(ptx, bytes);
  if (is_second || !link->ptx)
    link->is_opaque = 1;
  else
    link->length = strlen(link->ptx);
}
