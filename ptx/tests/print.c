/* print.c: parses a PTX file and prints it: what tests/ptx/run compares with the file. */
#include "ptx/print.h"
#include "ptx/module.h"
#include <stdlib.h>

static char *read_all(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t length = 0;
  for (size_t got = 1; file && got; length += got) {
    text = realloc(text, length + 65537);
    if (!text)
      abort();
    got = fread(text + length, 1, 65536, file);
    text[length + got] = 0;
  }
  if (file)
    fclose(file);
  return text;
}

int main(int argc, char **argv) {
  struct cs_ptx_module module;
  struct cs_ptx_error error;
  char *text = argc == 2 ? read_all(argv[1]) : NULL;
  if (!text) {
    fprintf(stderr, "usage: ptx_print FILE\n");
    return 2;
  }
  int failed = cs_ptx_parse_module(&module, text, &error);
  if (failed)
    fprintf(stderr, "%s:%u: %s\n", argv[1], error.line, error.text);
  else
    cs_ptx_print_module(&module, stdout);
  cs_ptx_module_free(&module);
  free(text);
  return failed ? 1 : 0;
}
