/* elf.c: reads ELF files, whose offsets and sizes are untrusted. */
#include "cli/base/elf.h"
#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static int map_file(struct cs_cli_elf *elf, const char *path) {
  struct stat status;
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0)
    return -1;
  int failed = fstat(fd, &status) != 0 || !S_ISREG(status.st_mode) || status.st_size <= 0;
  elf->size = failed ? 0 : (size_t)status.st_size;
  void *at = failed ? MAP_FAILED : mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  elf->at = at;
  return at == MAP_FAILED ? -1 : 0;
}

static struct cs_cli_bytes range(const struct cs_cli_elf *elf, uint64_t offset, uint64_t size) {
  if (offset > elf->size || size > elf->size - offset)
    return (struct cs_cli_bytes){0};
  return (struct cs_cli_bytes){elf->at + offset, size};
}

/* Element `number` of an array; 0 if the array has fewer. Copied: arrays in a malformed file may be misaligned. */
static int element(struct cs_cli_bytes array, size_t number, void *to, size_t size) {
  if (number >= array.size / size)
    return 0;
  memcpy(to, array.at + number * size, size);
  return 1;
}

int cs_cli_elf_view(struct cs_cli_elf *elf, const char *at, size_t size) {
  *elf = (struct cs_cli_elf){at, size};
  return size >= sizeof(Elf64_Ehdr) && !memcmp(at, ELFMAG, SELFMAG) && at[EI_CLASS] == ELFCLASS64 ? 0 : -1;
}

int cs_cli_elf_open(struct cs_cli_elf *elf, const char *path) {
  if (map_file(elf, path))
    return -1;
  if (cs_cli_elf_view(elf, elf->at, elf->size) == 0)
    return 0;
  cs_cli_elf_close(elf);
  return -1;
}

void cs_cli_elf_close(struct cs_cli_elf *elf) {
  munmap((void *)elf->at, elf->size);
  *elf = (struct cs_cli_elf){0};
}

/* --- Sections --- */

static struct cs_cli_bytes section_table(const struct cs_cli_elf *elf, Elf64_Ehdr *header) {
  memcpy(header, elf->at, sizeof *header);
  return range(elf, header->e_shoff, (uint64_t)header->e_shnum * sizeof(Elf64_Shdr));
}

static struct cs_cli_bytes contents(const struct cs_cli_elf *elf, const Elf64_Shdr *section) {
  return section->sh_type == SHT_NOBITS ? (struct cs_cli_bytes){0} : range(elf, section->sh_offset, section->sh_size);
}

/* A string of a table; NULL if it does not end inside it. */
static const char *string(struct cs_cli_bytes table, uint64_t at) {
  return at < table.size && memchr(table.at + at, 0, table.size - at) ? table.at + at : NULL;
}

/* The first section whose name begins with these bytes, and that has bytes in the file. */
static struct cs_cli_bytes named_section(const struct cs_cli_elf *elf, const char *name, size_t length) {
  Elf64_Ehdr header;
  Elf64_Shdr names, section;
  struct cs_cli_bytes table = section_table(elf, &header);
  if (!element(table, header.e_shstrndx, &names, sizeof names))
    return (struct cs_cli_bytes){0};
  for (size_t i = 0; element(table, i, &section, sizeof section); i++) {
    const char *found = string(contents(elf, &names), section.sh_name);
    if (found && !strncmp(found, name, length) && section.sh_size && contents(elf, &section).at)
      return contents(elf, &section);
  }
  return (struct cs_cli_bytes){0};
}

struct cs_cli_bytes cs_cli_elf_section(const struct cs_cli_elf *elf, const char *name) {
  return named_section(elf, name, strlen(name) + 1);
}

int cs_cli_elf_has(const struct cs_cli_elf *elf, const char *prefix) {
  return named_section(elf, prefix, strlen(prefix)).at != NULL;
}

/* The first section of this type, and the strings that it refers to. */
static struct cs_cli_bytes typed_section(const struct cs_cli_elf *elf, uint32_t type, struct cs_cli_bytes *strings) {
  Elf64_Ehdr header;
  Elf64_Shdr section, linked;
  struct cs_cli_bytes table = section_table(elf, &header);
  for (size_t i = 0; element(table, i, &section, sizeof section); i++)
    if (section.sh_type == type && element(table, section.sh_link, &linked, sizeof linked)) {
      *strings = contents(elf, &linked);
      return contents(elf, &section);
    }
  return (struct cs_cli_bytes){0};
}

const char *cs_cli_elf_needed(const struct cs_cli_elf *elf, size_t number) {
  struct cs_cli_bytes strings = {0}, entries = typed_section(elf, SHT_DYNAMIC, &strings);
  Elf64_Dyn entry;
  for (size_t i = 0; element(entries, i, &entry, sizeof entry) && entry.d_tag != DT_NULL; i++)
    if (entry.d_tag == DT_NEEDED && string(strings, entry.d_un.d_val) && number-- == 0)
      return string(strings, entry.d_un.d_val);
  return NULL;
}

const char *cs_cli_elf_exported(const struct cs_cli_elf *elf, size_t *next) {
  struct cs_cli_bytes strings = {0}, symbols = typed_section(elf, SHT_DYNSYM, &strings);
  Elf64_Sym entry;
  while (element(symbols, (*next)++, &entry, sizeof entry))
    if (entry.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(entry.st_info) == STT_FUNC && string(strings, entry.st_name))
      return string(strings, entry.st_name);
  return NULL;
}

int cs_cli_elf_imports(const struct cs_cli_elf *elf, const char *symbol) {
  struct cs_cli_bytes strings = {0}, symbols = typed_section(elf, SHT_DYNSYM, &strings);
  Elf64_Sym entry;
  for (size_t i = 0; element(symbols, i, &entry, sizeof entry); i++) {
    const char *name = entry.st_shndx == SHN_UNDEF ? string(strings, entry.st_name) : NULL;
    if (name && !strcmp(name, symbol))
      return 1;
  }
  return 0;
}
