/* options.c: CUSAFE_OPTIONS. */
#include "options/options.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_options options;
  char error[256], path[64], *text = fuzz_text(data, size);
  cs_options_default(&options);
  cs_options_parse(&options, text, error, sizeof error);
  cs_options_path(options.json, path, sizeof path);
  cs_options_path(text, path, sizeof path);
  free(text);
  return 0;
}
