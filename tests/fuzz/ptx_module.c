/* ptx_module.c: a PTX module. What is printed must parse, and print the same again; so must its parts. */
#include "ptx/module.h"
#include "ptx/parts.h"
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

static void parse_part(struct cs_ptx_part part) {
  for (size_t i = 0; i < part.count; i++) {
    char *made = printed(part.texts[i]);
    if (!made)
      abort();
    free(made);
  }
  cs_ptx_part_free(&part);
}

/* Of a module that does not parse the parts may not either, but they are found. */
static void parse_parts(const char *text, int is_valid) {
  struct cs_ptx_parts *parts = cs_ptx_parts_open(&text, 1);
  size_t count;
  const char *const *kernels = parts ? cs_ptx_parts_kernels(parts, &count) : NULL;
  if (parts && is_valid)
    parse_part(cs_ptx_parts_variables(parts));
  for (size_t i = 0; parts && i < count; i++) {
    struct cs_ptx_part part = cs_ptx_parts_kernel(parts, kernels[i]);
    if (is_valid)
      parse_part(part);
    else
      cs_ptx_part_free(&part);
  }
  cs_ptx_parts_close(parts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size), *first = printed(text), *second = first ? printed(first) : NULL;
  if (first && (!second || strcmp(first, second) != 0))
    abort();
  parse_parts(text, first != NULL);
  free(text);
  free(first);
  free(second);
  return 0;
}
