/* fatbin.h: NVIDIA's fat binaries: containers of PTX and machine code for several architectures. NVIDIA publishes the
 * wrapper (fatbinary_section.h); clang, which writes containers, and others describe the rest. */
#ifndef CUSAFE_FATBIN_H
#define CUSAFE_FATBIN_H

#include <stddef.h>
#include <stdint.h>

#define CS_FATBIN_WRAPPER_MAGIC 0x466243b1u
/* The version of a wrapper whose last word points to an array of containers, up to NULL: the units of a device link. */
#define CS_FATBIN_WRAPPER_LINKED 2u
struct cs_fatbin_wrapper {
  uint32_t magic, version;
  const void *data; /* the container */
  const void *const *linked;
};

#define CS_FATBIN_MAGIC 0xba55ed50u /* of a container */
#define CS_FATBIN_HEADER_BYTES ((size_t)16)
enum cs_fatbin_kind { CS_FATBIN_PTX = 1, CS_FATBIN_MACHINE_CODE = 2 };

struct cs_fatbin_entry {
  unsigned kind; /* enum cs_fatbin_kind, or a number that CuSafe does not know */
  unsigned arch; /* 90 of sm_90 */
  unsigned long long flags;
  const unsigned char *data; /* as stored: maybe compressed */
  size_t stored_bytes;
  size_t bytes; /* decompressed */
};

/* The size that a container's header states, header included; 0 if `available` bytes hold no container's header. */
size_t cs_fatbin_bytes(const void *data, size_t available);
/* Reads the entry at *offset of a container of `bytes` bytes, and advances *offset, which is 0 at first. Returns 1, 0
 * at the end, -1 if the container is malformed. */
int cs_fatbin_next(const void *container, size_t bytes, size_t *offset, struct cs_fatbin_entry *entry);
/* The entry's bytes, decompressed, with a 0 after them; freed by the caller. NULL, with a reason: "its compression is
 * unknown". */
char *cs_fatbin_read(const struct cs_fatbin_entry *entry, const char **reason);

#endif
