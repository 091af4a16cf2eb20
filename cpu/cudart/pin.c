/* pin.c: keeps a library of the process open. */
#include "cpu/cudart/pin.h"
#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>

struct search {
  ElfW(Addr) address;
  char path[PATH_MAX]; /* a copy: the loader frees its own when it closes the library */
};

static int contains(const struct dl_phdr_info *object, ElfW(Addr) address) {
  for (int i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *part = &object->dlpi_phdr[i];
    if (part->p_type == PT_LOAD && address - object->dlpi_addr - part->p_vaddr < part->p_memsz)
      return 1;
  }
  return 0;
}

static int visit(struct dl_phdr_info *object, size_t size, void *data) {
  (void)size;
  struct search *search = data;
  if (!contains(object, search->address))
    return 0;
  snprintf(search->path, sizeof search->path, "%s", object->dlpi_name);
  return 1;
}

void *cs_cudart_pin(const void *address) {
  struct search search = {.address = (ElfW(Addr))address};
  return dl_iterate_phdr(visit, &search) && *search.path ? dlopen(search.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
}

void cs_cudart_unpin(void *library) {
  if (library)
    dlclose(library);
}
