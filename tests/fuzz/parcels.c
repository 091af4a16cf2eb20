/* parcels.c: the device code in an object file or an archive. */
#include "cli/cc/parcels.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static char stem[64];
  struct cs_cli_argv found = {0};
  int linked = 0;
  if (!*stem) {
    strcpy(stem, "/dev/shm/cusafe-fuzz-XXXXXX");
    if (!mkdtemp(stem))
      abort();
    strcat(stem, "/");
  }
  cs_cli_parcels_unpack(fuzz_file(data, size), size % 2 ? "sm_80" : NULL, stem, &found, &linked);
  for (size_t i = 0; i < found.count; i++)
    unlink(found.items[i]);
  cs_cli_argv_free(&found);
  return 0;
}
