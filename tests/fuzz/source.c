/* source.c: the source file that a report quotes, after four bytes for the line and the column. */
#include "report/excerpt.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 4)
    return 0;
  struct cs_source source = {.file = fuzz_file(data + 4, size - 4),
                             .line = data[0],
                             .column = (cs_u32)data[1] | (cs_u32)data[2] << 8 | (cs_u32)data[3] << 24};
  struct cs_text_options options = {0};
  char *text = NULL;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out)
    abort();
  cs_report_print_excerpt(&source, NULL, &options, out);
  fclose(out);
  if (length > 4096)
    abort(); /* at most 100 columns, of at most four bytes or an invalid sequence, and a caret */
  free(text);
  return 0;
}
