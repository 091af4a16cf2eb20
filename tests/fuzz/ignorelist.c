/* ignorelist.c: an ignore list of the pass, and after a null byte a name to look up in it. */
#include "pass/module/ignore_rules.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint8_t *zero = size ? memchr(data, 0, size) : NULL;
  size_t bytes = zero ? (size_t)(zero - data) : size;
  char *name = zero ? fuzz_text(zero + 1, size - bytes - 1) : fuzz_text(data, 0);
  struct cs_pass_ignore_rules list = {0};
  if (cs_pass_ignore_rules_read(&list, fuzz_file(data, bytes)) == 0) {
    cs_pass_ignore_rules_have(&list, 0, name);
    cs_pass_ignore_rules_have(&list, 1, name);
  }
  cs_pass_ignore_rules_free(&list);
  free(name);
  return 0;
}
