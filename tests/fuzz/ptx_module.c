/* ptx_module.c: a PTX module. What is printed must parse, and print the same again. */
#include "ptx/module.h"
#include "ptx/print.h"
#include "tests/fuzz/fuzz.h"

/* NULL if it does not parse. */
static char *printed(const char *text) {
  struct cs_ptx_module module;
  struct cs_ptx_error error;
  char *made = NULL;
  size_t length;
  if (cs_ptx_parse_module(&module, text, &error) == 0) {
    FILE *to = open_memstream(&made, &length);
    if (!to)
      abort();
    cs_ptx_print_module(&module, to);
    fclose(to);
  }
  cs_ptx_module_free(&module);
  return made;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size), *first = printed(text), *second = first ? printed(first) : NULL;
  if (first && (!second || strcmp(first, second) != 0))
    abort();
  free(text);
  free(first);
  free(second);
  return 0;
}
