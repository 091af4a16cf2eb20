/* cfi.c: an object's unwind tables, with the header at the start of their segment. */
#include "host/stacks/cfi.c" // NOLINT(bugprone-suspicious-include): another function finds this process's tables
#include "tests/fuzz/fuzz.h"

/* The first byte selects the address that is looked up, so that entries can contain it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size)
    return 0;
  byte *bytes = (byte *)fuzz_text(data + 1, size - 1);
  struct segment segment = {bytes, bytes + size - 1};
  struct cs_host_cfi frame = look_up(&segment, (cs_u64)bytes, (cs_u64)bytes + 16 * (cs_u64)data[0]);
  if (frame.kind >= CS_HOST_CFI_FROM_SP && (frame.size < 8 || frame.size % 8 || frame.saved_bp % 8))
    abort();
  free(bytes);
  return 0;
}
