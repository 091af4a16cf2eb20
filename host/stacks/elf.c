/* elf.c: searches the loader's list of files. */
#include "host/stacks/elf.h"
#include <link.h>
#include <stdio.h>
#include <string.h>

struct search {
  cs_u64 address;
  struct cs_host_elf *elf;
};

static int contains(const struct dl_phdr_info *info, cs_u64 address) {
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type == PT_LOAD && address - info->dlpi_addr - segment->p_vaddr < segment->p_memsz)
      return 1;
  }
  return 0;
}

static void print_build_id(const unsigned char *bytes, size_t count, char *to, size_t room) {
  for (size_t i = 0; i < count && 2 * i + 2 < room; i++)
    snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

/* Notes are a header, a name and a description, both padded to the segment's alignment. */
static void read_notes(const char *at, size_t bytes, size_t alignment, struct cs_host_elf *elf) {
  size_t padding = alignment == 8 ? 7 : 3;
  ElfW(Nhdr) note;
  while (bytes >= sizeof note) {
    memcpy(&note, at, sizeof note);
    size_t name = sizeof note, description = name + (((size_t)note.n_namesz + padding) & ~padding);
    size_t end = description + (((size_t)note.n_descsz + padding) & ~padding);
    if (end > bytes)
      return;
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(at + name, "GNU", 4) == 0)
      print_build_id((const unsigned char *)at + description, note.n_descsz, elf->build_id, sizeof elf->build_id);
    at += end;
    bytes -= end;
  }
}

static int visit(struct dl_phdr_info *info, size_t size, void *data) {
  const struct search *search = data;
  (void)size;
  if (!contains(info, search->address))
    return 0;
  search->elf->bias = info->dlpi_addr;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    const char *notes = (const char *)(info->dlpi_addr + segment->p_vaddr);
    if (segment->p_type == PT_NOTE && contains(info, (cs_u64)notes))
      read_notes(notes, segment->p_memsz, segment->p_align, search->elf);
  }
  return 1;
}

int cs_host_elf_at(cs_u64 address, struct cs_host_elf *elf) {
  struct search search = {address, elf};
  *elf = (struct cs_host_elf){0};
  return dl_iterate_phdr(visit, &search) ? 0 : -1;
}
