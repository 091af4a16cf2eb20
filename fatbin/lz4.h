/* lz4.h: decompresses a block of LZ4. */
#ifndef CUSAFE_FATBIN_LZ4_H
#define CUSAFE_FATBIN_LZ4_H

#include <stddef.h>

/* Decompresses a block into exactly `size` bytes. Returns 0, or -1 if the block is malformed or has another size. */
int cs_fatbin_lz4(const unsigned char *from, size_t bytes, char *to, size_t size);

#endif
