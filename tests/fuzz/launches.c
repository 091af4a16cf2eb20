/* launches.c: a CUDA source with launches whose brackets contain blanks. */
#include "cli/cc/launches.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size);
  size_t length = strlen(text);
  cs_cli_launches_join(text);
  if (strlen(text) != length || cs_cli_launches_join(text) != 0)
    abort(); /* other characters moved, or a launch is still not joined */
  free(text);
  return 0;
}
