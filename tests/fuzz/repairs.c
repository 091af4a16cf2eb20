/* repairs.c: a CUDA source, after one byte with the offset at which clang rejects a shared variable, a name in
 * inline PTX or a list. */
#include "cli/cc/asm_names.h"
#include "cli/cc/launch_lists.h"
#include "cli/cc/shared_objects.h"
#include "tests/fuzz/fuzz.h"

static size_t lines_of(const char *text) {
  size_t count = 0;
  for (; *text; text++)
    count += *text == '\n';
  return count;
}

static void rewrite(char *(*how)(const char *, size_t), const char *text, size_t at) {
  char *written = at <= strlen(text) ? how(text, at) : NULL;
  if (written && lines_of(written) != lines_of(text))
    abort(); /* lines have moved */
  free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 1)
    return 0;
  char *text = fuzz_text(data + 1, size - 1);
  rewrite(cs_cli_shared_objects_wrap, text, data[0]);
  rewrite(cs_cli_shared_objects_keep, text, data[0]);
  rewrite(cs_cli_asm_names_escape, text, data[0]);
  free(text);
  return 0;
}
