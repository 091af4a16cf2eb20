/* fatbin.c: reads the entries of a fat binary. All sizes are untrusted. */
#include "fatbin/fatbin.h"
#include "fatbin/lz4.h"
#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#define FLAG_LZ4 0x2000u
#define FLAG_ZSTD 0x8000u
/* Far above any PTX; bounds what a malformed file can make us allocate. */
#define MAX_BYTES ((size_t)512 << 20)

struct container {
  uint32_t magic;
  uint16_t version, header_bytes;
  uint64_t entries_bytes;
};

/* Some entries have more fields, so header_bytes decides where the data begins. */
struct header {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t padded_bytes; /* of the data */
  uint32_t compressed_bytes;
  uint32_t options;
  uint16_t minor, major;
  uint32_t arch;
  uint32_t name_offset, name_bytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t bytes; /* decompressed; 0 if not compressed */
};
_Static_assert(sizeof(struct container) == CS_FATBIN_HEADER_BYTES && sizeof(struct header) == 64, "NVIDIA's layout");

static int read_container(struct container *to, const void *data, size_t available) {
  if (available < sizeof *to)
    return -1;
  memcpy(to, data, sizeof *to);
  return to->magic == CS_FATBIN_MAGIC && to->header_bytes >= sizeof *to ? 0 : -1;
}

size_t cs_fatbin_bytes(const void *data, size_t available) {
  struct container c;
  if (read_container(&c, data, available) || c.entries_bytes > SIZE_MAX - c.header_bytes)
    return 0;
  return c.header_bytes + c.entries_bytes;
}

/* Whether the header, its data and their sizes are inside `left` bytes. */
static int is_inside(const struct header *h, size_t left) {
  return h->header_bytes >= sizeof *h && h->header_bytes <= left && h->padded_bytes <= left - h->header_bytes &&
         h->compressed_bytes <= h->padded_bytes;
}

static int is_compressed(unsigned long long flags) {
  return (flags & (FLAG_LZ4 | FLAG_ZSTD)) != 0;
}

int cs_fatbin_next(const void *container, size_t bytes, size_t *offset, struct cs_fatbin_entry *entry) {
  struct container c;
  struct header h;
  if (read_container(&c, container, bytes) || c.header_bytes > bytes || c.entries_bytes > bytes - c.header_bytes)
    return -1;
  if (*offset == 0)
    *offset = c.header_bytes;
  size_t left = c.header_bytes + c.entries_bytes - *offset;
  if (left == 0)
    return 0;
  if (left < sizeof h)
    return -1;
  memcpy(&h, (const char *)container + *offset, sizeof h);
  if (!is_inside(&h, left))
    return -1;
  *entry = (struct cs_fatbin_entry){.kind = h.kind,
                                    .arch = h.arch,
                                    .flags = h.flags,
                                    .data = (const unsigned char *)container + *offset + h.header_bytes,
                                    .stored_bytes = is_compressed(h.flags) ? h.compressed_bytes : h.padded_bytes,
                                    .bytes = is_compressed(h.flags) ? h.bytes : h.padded_bytes};
  *offset += h.header_bytes + h.padded_bytes;
  return 1;
}

static int decompress(const struct cs_fatbin_entry *entry, char *to) {
  if (entry->flags & FLAG_ZSTD) {
    size_t made = ZSTD_decompress(to, entry->bytes, entry->data, entry->stored_bytes);
    return !ZSTD_isError(made) && made == entry->bytes ? 0 : -1;
  }
  if (entry->flags & FLAG_LZ4)
    return cs_fatbin_lz4(entry->data, entry->stored_bytes, to, entry->bytes);
  memcpy(to, entry->data, entry->bytes);
  return 0;
}

char *cs_fatbin_read(const struct cs_fatbin_entry *entry, const char **reason) {
  *reason = "it is too large";
  if (entry->bytes > MAX_BYTES)
    return NULL;
  char *made = malloc(entry->bytes + 1);
  *reason = "there is no memory for it";
  if (made && decompress(entry, made)) {
    *reason = "its compressed data is malformed";
    free(made);
    return NULL;
  }
  if (made)
    made[entry->bytes] = 0;
  return made;
}
