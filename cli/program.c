/* program.c: finds the CUDA code in a program or library: its fat binaries and device images, and the CUDA runtime that
 * it calls. */
#include "cli/program.h"
#include "cli/base/elf.h"
#include "cli/base/paths.h"
#include "cusafe/abi.h"
#include "cusafe/image.h"
#include "fatbin/fatbin.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The names are published in NVIDIA's fatbinary_section.h; clang uses them as well. */
#define WRAPPERS ".nvFatBinSegment"
static const char *const code_sections[] = {".nv_fatbin", "__nv_relfatbin"};

static void add_arch(struct cs_cli_archs *to, unsigned arch) {
  size_t at = 0;
  while (at < to->count && to->items[at] < arch)
    at++;
  if (to->count == CS_CLI_ARCHS_MAX || (at < to->count && to->items[at] == arch))
    return;
  memmove(to->items + at + 1, to->items + at, (to->count - at) * sizeof *to->items);
  to->items[at] = arch;
  to->count++;
}

static void read_ptx(struct cs_cli_program *p, const struct cs_fatbin_entry *entry, int *checked) {
  const char *reason;
  char *text = cs_fatbin_read(entry, &reason);
  p->malformed |= !text;
  p->has_lines |= text && strstr(text, ".loc\t") != NULL;
  p->has_lines |= text && strstr(text, ".loc ") != NULL;
  *checked |= text && strstr(text, CS_SYM_MODULE) != NULL;
  free(text);
}

/* Machine code has a section .text.NAME for each function. nvcc's device linker writes a module without any into every
 * program. */
static int has_functions(const struct cs_fatbin_entry *entry) {
  struct cs_cli_elf elf;
  const char *reason;
  char *code = cs_fatbin_read(entry, &reason);
  int has = code && cs_cli_elf_view(&elf, code, entry->bytes) == 0 && cs_cli_elf_has(&elf, ".text.");
  free(code);
  return has;
}

static void read_container(struct cs_cli_program *p, const char *at, size_t bytes) {
  struct cs_fatbin_entry entry;
  size_t offset = 0;
  int more, has_ptx = 0, has_code = 0, checked = 0;
  while ((more = cs_fatbin_next(at, bytes, &offset, &entry)) > 0) {
    if (entry.kind == CS_FATBIN_PTX) {
      has_ptx = 1;
      add_arch(&p->ptx, entry.arch);
      read_ptx(p, &entry, &checked);
    } else if (entry.kind == CS_FATBIN_MACHINE_CODE && has_functions(&entry)) {
      has_code = 1;
      add_arch(&p->machine_code, entry.arch);
    }
  }
  p->malformed |= more < 0;
  p->modules += has_ptx || has_code;
  p->without_ptx += has_code && !has_ptx;
  p->checked += (size_t)checked;
}

/* The size of the device image at `at`, 0 if there is none. */
static size_t read_image(struct cs_cli_program *p, const char *at, size_t left) {
  struct cs_image image;
  if (left < sizeof image)
    return 0;
  memcpy(&image, at, sizeof image);
  if (image.magic != CS_IMAGE_MAGIC || image.total_bytes < sizeof image || image.total_bytes > left)
    return 0;
  p->images++;
  p->checked += image.checked == 1;
  return image.total_bytes;
}

/* The linker has joined the containers and images of all objects, with padding between them. */
static void read_section(struct cs_cli_program *p, struct cs_cli_bytes section) {
  for (size_t at = 0; at + sizeof(uint64_t) <= section.size;) {
    size_t left = section.size - at, bytes = cs_fatbin_bytes(section.at + at, left);
    if (bytes)
      read_container(p, section.at + at, bytes = bytes < left ? bytes : left);
    else
      bytes = read_image(p, section.at + at, left);
    at += bytes ? (bytes + 7) / 8 * 8 : 8;
  }
}

static int has_large_tls(const char *library) {
  static const char *const sanitizers[] = {"libtsan.so", "liblsan.so", "libhwasan.so"};
  for (size_t i = 0; i < sizeof sanitizers / sizeof *sanitizers; i++)
    if (!strncmp(library, sanitizers[i], strlen(sanitizers[i])))
      return 1;
  return 0;
}

static void read_needed(struct cs_cli_program *p, const struct cs_cli_elf *elf) {
  const char *needed;
  for (size_t i = 0; (needed = cs_cli_elf_needed(elf, i)) != NULL; i++) {
    const char *name = cs_cli_file_name(needed); /* `cusafe toolkit` has the linker write a path */
    if (!strncmp(name, "libcudart.so", 12))
      snprintf(p->soname, sizeof p->soname, "%s", name);
    p->has_large_tls |= has_large_tls(needed);
  }
}

/* Programs that register device code either import the call, or contain NVIDIA's static library. */
static void find_runtime(struct cs_cli_program *p, const struct cs_cli_elf *elf) {
  if (*p->soname || cs_cli_elf_imports(elf, "__cudaRegisterFatBinary"))
    p->runtime = CS_CLI_RUNTIME_SHARED;
  else if (cs_cli_elf_section(elf, WRAPPERS).at)
    p->runtime = CS_CLI_RUNTIME_STATIC;
}

int cs_cli_program_inspect(struct cs_cli_program *program, const char *path) {
  struct cs_cli_elf elf;
  *program = (struct cs_cli_program){0};
  if (cs_cli_elf_open(&elf, path))
    return -1;
  read_needed(program, &elf);
  find_runtime(program, &elf);
  for (size_t i = 0; i < sizeof code_sections / sizeof *code_sections; i++)
    read_section(program, cs_cli_elf_section(&elf, code_sections[i]));
  cs_cli_elf_close(&elf);
  return 0;
}
