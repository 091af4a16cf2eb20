/* parcels.c: writes and extracts the device code in host objects: sections of ELF files and of members of archives. */
#include "cli/cc/parcels.h"
#include "cli/base/message.h"
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* clang's -fembed-offload-object writes the file to this section, which the linker omits from the program. */
#define SECTION ".llvm.offloading"
/* Marks the object that -dlink writes. */
#define LINKED_SECTION ".cusafe.linked"

struct header {
  char magic[8];
  char arch[16];
  uint64_t size; /* of the bitcode, which follows, padded to a multiple of 8 */
};
_Static_assert(sizeof(struct header) == 32, "other versions read parcels");
static const char magic[8] = "CUSAFEU1";

struct bytes {
  char *at;
  size_t size;
};

static struct bytes read_file(const char *path) {
  struct bytes b = {0};
  FILE *in = fopen(path, "rb");
  if (in && fseek(in, 0, SEEK_END) == 0) {
    long size = ftell(in);
    rewind(in);
    b.at = size > 0 ? malloc((size_t)size) : NULL;
    b.size = b.at ? fread(b.at, 1, (size_t)size, in) : 0;
  }
  if (in)
    fclose(in);
  return b;
}

static int write_file(const char *path, const char *mode, const void *first, size_t first_size, const void *second,
                      size_t second_size) {
  static const char zeros[8];
  size_t pad = -second_size % 8;
  FILE *out = fopen(path, mode);
  int bad = !out || (first_size && fwrite(first, first_size, 1, out) != 1) ||
            fwrite(second, second_size, 1, out) != 1 || (first_size && pad && fwrite(zeros, pad, 1, out) != 1);
  if (out && fclose(out) != 0)
    bad = 1;
  return bad ? (cs_cli_fail("cannot write %s: %s.", path, strerror(errno)), -1) : 0;
}

int cs_cli_parcel_write(const char *path, const char *arch, const char *bitcode) {
  struct bytes b = read_file(bitcode);
  struct header header = {.size = b.size};
  memcpy(header.magic, magic, sizeof magic);
  snprintf(header.arch, sizeof header.arch, "%s", arch);
  int bad = !b.at ? (cs_cli_fail("cannot read %s.", bitcode), -1)
                  : write_file(path, "ab", &header, sizeof header, b.at, b.size);
  free(b.at);
  return bad;
}

struct search {
  const char *arch, *stem;
  struct cs_cli_argv *found;
  int linked;
};

/* Objects joined by `ld -r` have several parcels in one section. */
static int unpack_section(struct search *s, struct bytes section) {
  while (section.size >= sizeof(struct header)) {
    struct header header;
    memcpy(&header, section.at, sizeof header);
    size_t rest = section.size - sizeof header;
    if (memcmp(header.magic, magic, sizeof magic) != 0 || header.size > rest)
      return 0;
    const char *code = section.at + sizeof header;
    if (!s->arch || !strncmp(s->arch, header.arch, sizeof header.arch)) {
      char *path = cs_cli_format("%s%zu.bc", s->stem, s->found->count);
      int bad = write_file(path, "wb", NULL, 0, code, header.size);
      cs_cli_argv_push(s->found, path);
      free(path);
      if (bad)
        return -1;
    }
    size_t padded = (header.size + 7) / 8 * 8;
    size_t step = sizeof header + (padded < rest ? padded : rest);
    section.at += step;
    section.size -= step;
  }
  return 0;
}

static struct bytes part(struct bytes of, uint64_t offset, uint64_t size) {
  if (offset > of.size || size > of.size - offset)
    return (struct bytes){0};
  return (struct bytes){of.at + offset, size};
}

static int has_name(struct bytes names, uint32_t at, const char *name) {
  size_t length = strlen(name) + 1;
  return at < names.size && names.size - at >= length && !memcmp(names.at + at, name, length);
}

static int unpack_object(struct search *s, struct bytes file) {
  Elf64_Ehdr h;
  if (file.size < sizeof h)
    return 0;
  memcpy(&h, file.at, sizeof h);
  if (memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_type != ET_REL)
    return 0;
  struct bytes table = part(file, h.e_shoff, (uint64_t)h.e_shnum * sizeof(Elf64_Shdr));
  if (!table.at || h.e_shstrndx >= h.e_shnum)
    return 0;
  Elf64_Shdr one;
  memcpy(&one, table.at + h.e_shstrndx * sizeof one, sizeof one);
  struct bytes names = part(file, one.sh_offset, one.sh_size);
  for (size_t i = 0; i < h.e_shnum; i++) {
    memcpy(&one, table.at + i * sizeof one, sizeof one);
    if (has_name(names, one.sh_name, LINKED_SECTION))
      s->linked = 1;
    if (has_name(names, one.sh_name, SECTION) && unpack_section(s, part(file, one.sh_offset, one.sh_size)) != 0)
      return -1;
  }
  return 0;
}

/* The common ar format: a magic line, then members at even offsets, each with a 60-byte header. */
static int unpack_archive(struct search *s, struct bytes file) {
  for (size_t at = 8; at + 60 <= file.size;) {
    char digits[11] = "";
    memcpy(digits, file.at + at + 48, 10);
    struct bytes member = part(file, at + 60, strtoull(digits, NULL, 10));
    if (!member.at)
      return 0;
    if (unpack_object(s, member) != 0)
      return -1;
    at += 60 + member.size + member.size % 2;
  }
  return 0;
}

int cs_cli_parcels_unpack(const char *path, const char *arch, const char *stem, struct cs_cli_argv *found,
                          int *linked) {
  struct search s = {arch, stem, found, 0};
  struct bytes file = read_file(path);
  int bad;
  if (file.size >= 8 && !memcmp(file.at, "!<arch>\n", 8))
    bad = unpack_archive(&s, file);
  else
    bad = unpack_object(&s, file);
  free(file.at);
  *linked |= s.linked;
  return bad;
}
