/* images.c: maps the files that findings name, found by name and build identifier, also on debuginfod's servers. They
 * are mapped as the loader would map them, but are never executed. */
#include "cli/symbolize/images.h"
#include "cli/base/message.h"
#include "host/stacks/address.h"
#include "host/stacks/view.h"
#include <elfutils/libdwelf.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct image {
  char *module, *build;
  cs_u64 start, end, bias; /* start 0: it cannot be read */
  Elf *elf;
  struct image *next;
};

static struct image *images;
static Dwfl *dwfl;

/* ---- what address.h asks for ---- */

static Dwfl *open_images(void) {
  return dwfl;
}

static const struct image *image_at(cs_u64 address) {
  const struct image *image = images;
  while (image && (address < image->start || address >= image->end))
    image = image->next;
  return image;
}

static int elf_at(cs_u64 address, struct cs_host_elf *elf) {
  const struct image *image = image_at(address);
  *elf = (struct cs_host_elf){0};
  if (!image)
    return -1;
  elf->bias = image->bias;
  snprintf(elf->build_id, sizeof elf->build_id, "%s", image->build);
  return 0;
}

static int clip(struct cs_host_function *f) {
  const struct image *image = image_at(f->start);
  size_t count = 0;
  GElf_Phdr segment;
  if (!image || elf_getphdrnum(image->elf, &count))
    return -1;
  for (size_t i = 0; i < count && gelf_getphdr(image->elf, (int)i, &segment); i++) {
    cs_u64 start = image->bias + segment.p_vaddr, end = start + segment.p_filesz;
    if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_X)) != (PF_R | PF_X) || f->start < start ||
        f->start >= end)
      continue;
    f->end = f->end < end ? f->end : end;
    return 0;
  }
  return -1;
}

/* ---- files ---- */

static void print_hexadecimal(const unsigned char *bytes, ssize_t count, char *to, size_t room) {
  *to = 0;
  for (ssize_t i = 0; i < count && 2 * (size_t)i + 2 < room; i++)
    snprintf(to + 2 * i, 3, "%02x", bytes[i]);
}

/* Opens the file if it has this build identifier. */
static Elf *open_elf(int file, const char *build) {
  char own[65];
  const void *bits;
  Elf *elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ_MMAP, NULL);
  if (!elf)
    return NULL;
  print_hexadecimal(bits, dwelf_elf_gnu_build_id(elf, &bits), own, sizeof own);
  if (strcmp(own, build) == 0)
    return elf;
  elf_end(elf);
  return NULL;
}

/* A file of this build identifier, from a folder .build-id or a server. */
static int find_by_build(const char *build) {
  unsigned char bits[32];
  size_t count = 0;
  char *name = NULL;
  Elf *elf = NULL;
  for (unsigned byte; count < sizeof bits && sscanf(build + 2 * count, "%2x", &byte) == 1; count++)
    bits[count] = (unsigned char)byte;
  static const Dwfl_Callbacks none = {.find_elf = dwfl_build_id_find_elf};
  Dwfl *alone = count ? dwfl_begin(&none) : NULL;
  Dwfl_Module *m = alone ? dwfl_report_module(alone, build, 0x1000, 0x2000) : NULL;
  int file = -1;
  if (m && dwfl_module_report_build_id(m, bits, count, 0) == 0)
    file = dwfl_build_id_find_elf(m, NULL, build, 0, &name, &elf);
  elf_end(elf);
  free(name);
  if (alone)
    dwfl_end(alone);
  return file;
}

static int map_segment(const struct image *image, int file, const GElf_Phdr *segment) {
  cs_u64 page = (cs_u64)sysconf(_SC_PAGESIZE), inside = segment->p_vaddr % page;
  cs_u64 at = image->bias + segment->p_vaddr - inside;
  if (!segment->p_filesz)
    return 0;
  return mmap((void *)at, segment->p_filesz + inside, PROT_READ, MAP_PRIVATE | MAP_FIXED, file,
              (off_t)(segment->p_offset - inside)) == MAP_FAILED
             ? -1
             : 0;
}

/* Address space for all segments, and their bytes. 0, or -1. */
static int map(struct image *image, int file) {
  cs_u64 page = (cs_u64)sysconf(_SC_PAGESIZE), low = ~(cs_u64)0, high = 0;
  size_t count;
  GElf_Phdr segment;
  if (elf_getphdrnum(image->elf, &count))
    return -1;
  for (size_t i = 0; i < count && gelf_getphdr(image->elf, (int)i, &segment); i++)
    if (segment.p_type == PT_LOAD) {
      low = segment.p_vaddr < low ? segment.p_vaddr : low;
      high = segment.p_vaddr + segment.p_memsz > high ? segment.p_vaddr + segment.p_memsz : high;
    }
  if (low >= high)
    return -1;
  low -= low % page;
  void *room = mmap(NULL, high - low, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED)
    return -1;
  image->bias = (cs_u64)room - low;
  for (size_t i = 0; i < count && gelf_getphdr(image->elf, (int)i, &segment); i++)
    if (segment.p_type == PT_LOAD && map_segment(image, file, &segment))
      return -1;
  image->start = (cs_u64)room;
  image->end = (cs_u64)room + high - low;
  return 0;
}

/* The file at its path, or another one with its build identifier, which debug data is read for under the first name. */
static void load(struct image *image) {
  int file = open(image->module, O_RDONLY | O_CLOEXEC);
  image->elf = open_elf(file, image->build);
  if (!image->elf && *image->build) {
    close(file);
    file = find_by_build(image->build);
    image->elf = open_elf(file, image->build);
  }
  if (!image->elf || map(image, file)) {
    cs_cli_fail(
        "'%s'%s%s is not on this machine, or on the servers that DEBUGINFOD_URLS names: its frames have no lines",
        image->module, *image->build ? " with the build identifier " : "", image->build);
    image->start = image->end = 0;
  } else {
    char path[PATH_MAX];
    const char *name = realpath(image->module, path) ? path : image->module;
    dwfl_report_begin_add(dwfl);
    if (!dwfl_report_elf(dwfl, name, name, file, image->bias, true) || dwfl_report_end(dwfl, NULL, NULL))
      cs_cli_fail("'%s' cannot be read: %s", image->module, dwfl_errmsg(-1));
  }
}

/* As in the process that had loaded the file; here servers may be asked. */
static int find_debug_file(Dwfl_Module *m, void **u, const char *n, GElf_Addr b, const char *file, const char *link,
                           GElf_Word check, char **name) {
  if (cs_host_address_is_of_system(n))
    return -1;
  int found = dwfl_standard_find_debuginfo(m, u, n, b, file, link, check, name);
  if (found < 0 && !*u && !cs_host_view_is_internal(n)) /* libdw asks again */
    *u = m,
    cs_cli_fail(
        "no debug file of '%s' is on this machine, or on the servers that DEBUGINFOD_URLS names: its frames have "
        "no lines",
        n);
  return found;
}

int cs_cli_images_start(void) {
  static const Dwfl_Callbacks callbacks = {.find_elf = dwfl_build_id_find_elf, .find_debuginfo = find_debug_file};
  static const struct cs_host_files files = {open_images, elf_at, clip};
  elf_version(EV_CURRENT);
  dwfl = dwfl_begin(&callbacks);
  cs_host_address_read_from(&files);
  return dwfl ? 0 : -1;
}

cs_u64 cs_cli_images_address(const char *module, const char *build, cs_u64 offset) {
  struct image *image = images;
  while (image && (strcmp(image->module, module) != 0 || strcmp(image->build, build) != 0))
    image = image->next;
  if (!image) {
    image = calloc(1, sizeof *image);
    if (!image || !(image->module = strdup(module)) || !(image->build = strdup(build)))
      abort();
    image->next = images;
    images = image;
    load(image);
  }
  cs_u64 address = image->bias + offset;
  return image->start && address > image->start && address <= image->end ? address : 0;
}
