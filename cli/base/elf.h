/* elf.h: sections, needed libraries and imported symbols of a program or library. */
#ifndef CUSAFE_CLI_BASE_ELF_H
#define CUSAFE_CLI_BASE_ELF_H

#include <stddef.h>
#include <stdint.h>

struct cs_cli_elf {
  const char *at; /* the whole file */
  size_t size;
};

struct cs_cli_bytes {
  const char *at; /* NULL: there is no such section */
  size_t size;
};

/* 0, or -1 if the file cannot be read or is no 64-bit ELF file. To be closed only after 0. */
int cs_cli_elf_open(struct cs_cli_elf *elf, const char *path);
void cs_cli_elf_close(struct cs_cli_elf *elf);

/* An ELF file in memory. 0, or -1 if it is none. Not to be closed. */
int cs_cli_elf_view(struct cs_cli_elf *elf, const char *at, size_t size);

/* Whether there is a section whose name has this prefix. */
int cs_cli_elf_has(const struct cs_cli_elf *elf, const char *prefix);
/* The first section of this name that has bytes in the file. */
struct cs_cli_bytes cs_cli_elf_section(const struct cs_cli_elf *elf, const char *name);
/* The name of a library that the dynamic linker loads: number 0, 1, ...; NULL after the last. */
const char *cs_cli_elf_needed(const struct cs_cli_elf *elf, size_t number);
/* The name of a function that other files can bind to: from number *next on, which is set to the number after it; NULL
 * after the last. */
const char *cs_cli_elf_exported(const struct cs_cli_elf *elf, size_t *next);
/* Whether the dynamic linker binds this symbol to a definition in another file. */
int cs_cli_elf_imports(const struct cs_cli_elf *elf, const char *symbol);

#endif
