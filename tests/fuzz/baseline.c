/* baseline.c: a file of fingerprints, read and extended. */
#include "options/baseline.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char error[256];
  struct cs_options_baseline known = {0}, written = {0};
  struct cs_finding finding = {.kind = CS_KIND_LEAK, .fingerprint = "0123456789abcdef"};
  const char *path = fuzz_file(data, size);
  if (!cs_options_baseline_read(&known, path, error, sizeof error)) {
    int has = cs_options_baseline_has(&known, finding.fingerprint);
    size_t count = known.count;
    cs_options_baseline_close(&known);
    if (cs_options_baseline_write(&written, path, &finding, NULL) ||
        (cs_options_baseline_read(&known, path, error, sizeof error) == 0 && known.count != count + !has))
      abort(); /* a file that can be read can be extended, by what it lacks */
  }
  cs_options_baseline_close(&known);
  cs_options_baseline_close(&written);
  return 0;
}
