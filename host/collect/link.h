/* link.h: the links of nvJitLink that are under way, and the PTX that goes into each. */
#ifndef CUSAFE_HOST_COLLECT_LINK_H
#define CUSAFE_HOST_COLLECT_LINK_H

#include <nvJitLink.h>
#include <stddef.h>

struct cs_host_link {
  nvJitLinkHandle handle; /* the program's */
  nvJitLinkHandle shadow; /* links the inputs that are LTO IR to PTX; NULL without link-time optimisation */
  int has_lto;            /* an input is LTO IR */
  int is_opaque; /* an input is neither PTX nor LTO IR, or there are several of PTX: the program gets the real cubin */
  char *ptx;     /* with a NUL; NULL without any */
  size_t length;
  struct cs_host_link *next;
};

/* A new entry, or NULL without memory. The program uses one link from one thread at a time, so only the list is
 * locked. */
struct cs_host_link *cs_host_link_add(nvJitLinkHandle handle);
struct cs_host_link *cs_host_link_find(nvJitLinkHandle handle);
/* Takes the entry out of the list; NULL if there is none. The caller frees it with cs_host_link_free(). */
struct cs_host_link *cs_host_link_take(nvJitLinkHandle handle);
void cs_host_link_free(struct cs_host_link *link);

/* Keeps a copy of the link's PTX, which may or may not end with a NUL. */
void cs_host_link_keep(struct cs_host_link *link, const char *ptx, size_t bytes);

#endif
