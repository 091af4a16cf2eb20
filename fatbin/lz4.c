/* lz4.c: decompresses a block of LZ4, as its format's description specifies: literals, then a copy of earlier output,
 * and so on. */
#include "fatbin/lz4.h"
#include <string.h>

struct block {
  const unsigned char *at, *end;
};

/* A length of 15 continues in bytes that are added, up to the first that is not 255. */
static int read_length(struct block *b, size_t *length) {
  if (*length != 15)
    return 0;
  for (unsigned more = 255; more == 255; *length += more) {
    if (b->at == b->end)
      return -1;
    more = *b->at++;
  }
  return 0;
}

/* Byte by byte: the copy may overlap what it writes. */
static void copy_back(char *to, size_t distance, size_t length) {
  for (size_t i = 0; i < length; i++)
    to[i] = to[(ptrdiff_t)i - (ptrdiff_t)distance];
}

int cs_fatbin_lz4(const unsigned char *from, size_t bytes, char *to, size_t size) {
  struct block b = {from, from + bytes};
  size_t done = 0;
  while (b.at < b.end) {
    unsigned token = *b.at++;
    size_t literals = token >> 4, length = token & 15;
    if (read_length(&b, &literals) || literals > (size_t)(b.end - b.at) || literals > size - done)
      return -1;
    memcpy(to + done, b.at, literals);
    done += literals;
    b.at += literals;
    if (b.at == b.end)
      break; /* the last sequence has no copy */
    if (b.end - b.at < 2)
      return -1;
    size_t distance = b.at[0] | (size_t)b.at[1] << 8;
    b.at += 2;
    if (distance == 0 || distance > done || read_length(&b, &length) || length + 4 > size - done)
      return -1;
    copy_back(to + done, distance, length + 4);
    done += length + 4;
  }
  return done == size ? 0 : -1;
}
