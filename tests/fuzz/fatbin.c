/* fatbin.c: a fat binary in a file: its entries, decompressed. */
#include "fatbin/fatbin.h"
#include "tests/fuzz/fuzz.h"

static volatile size_t used; /* keeps the reads */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_fatbin_entry entry;
  size_t offset = 0;
  char *text = fuzz_text(data, size); /* a copy of its exact size, but for the 0 */
  used += cs_fatbin_bytes(text, size);
  while (cs_fatbin_next(text, size, &offset, &entry) > 0) {
    const char *reason;
    char *read = entry.bytes < 1 << 20 ? cs_fatbin_read(&entry, &reason) : NULL;
    used += read ? strlen(read) : entry.arch;
    free(read);
  }
  free(text);
  return 0;
}
