/* sites.c: an error record and the site table of its module, diagnosed and rendered in every format. Both are copied
 * from device memory, which the reported bug itself may have overwritten. */
#include "report/formats.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_record record;
  if (size < sizeof record)
    return 0;
  memcpy(&record, data, sizeof record);
  size_t bytes = size - sizeof record;
  char *table = fuzz_text(data + sizeof record, bytes), *text = NULL;
  struct cs_buffer own = {.start = record.start, .size = record.bytes, .freed = record.fault == CS_FAULT_FREED};
  struct cs_evidence evidence = {.event = CS_EVENT_ACCESS,
                                 .access.at = {&record, bytes ? (const struct cs_module *)table : NULL, bytes},
                                 .count = 1,
                                 .own = record.ready % 2 ? &own : NULL};
  struct cs_text_options options = {.pid = 1};
  struct cs_finding finding;
  size_t length = 0;
  FILE *out = open_memstream(&text, &length);
  if (!out)
    abort();
  if (cs_diagnose(&evidence, &finding) == 0)
    for (int i = 0; i < CS_FORMAT_COUNT; i++)
      cs_formats[i]->finding(&finding, &options, out);
  cs_finding_release(&finding);
  fclose(out);
  free(text);
  free(table);
  return 0;
}
