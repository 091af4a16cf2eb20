/* shared_objects.c: a CUDA source, after two bytes with the line and the column of a shared variable. */
#include "cli/cc/shared_objects.h"
#include "tests/fuzz/fuzz.h"

static size_t lines_of(const char *text) {
  size_t count = 0;
  for (; *text; text++)
    count += *text == '\n';
  return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2)
    return 0;
  char *text = fuzz_text(data + 2, size - 2), *wrapped = cs_cli_shared_objects_wrap(text, data[0], data[1]);
  if (wrapped && lines_of(wrapped) != lines_of(text))
    abort(); /* lines have moved */
  free(wrapped);
  free(text);
  return 0;
}
