/* documents.c: a SARIF file or an HTML page that a run appends to. */
#include "report/formats.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char error[256];
  const struct cs_format *document = size % 2 ? &cs_format_sarif : &cs_format_html;
  const char *path = fuzz_file(data, size);
  if (cs_document_begin(path, document, 1, error, sizeof error) == 0 &&
      (cs_document_add(path, document, "{}", 2) || cs_document_begin(path, document, 1, error, sizeof error)))
    abort(); /* a file that can be continued stays one */
  return 0;
}
