/* suppressions.c: a file of suppressions, and after a null byte the function of the finding that it is matched with. */
#include "options/suppress.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
  size_t bytes = zero ? (size_t)(zero - data) : size;
  char error[256], *function = zero ? fuzz_text(zero + 1, size - bytes - 1) : fuzz_text(data, 0);
  struct cs_source frames[] = {{.function = function, .file = "/src/scale.cu", .line = 9}};
  struct cs_finding finding = {.kind = CS_KIND_OUT_OF_BOUNDS, .where = {frames, 1}, .kernel = "scale(float*, int)"};
  struct cs_options_suppressions *list = cs_options_suppressions_read(fuzz_file(data, bytes), error, sizeof error);
  if (list)
    cs_options_suppressions_match(list, &finding);
  cs_options_suppressions_free(list);
  free(function);
  return 0;
}
