/* findings.c: lines of JSON that `cusafe findings` merges and converts. */
#include "cli/findings/print.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_cli_found_set set = {0};
  struct cs_cli_part key, value;
  if (cs_cli_found_read(&set, fuzz_file(data, size)) == 0) {
    for (size_t i = 0; i < set.count; i++)
      if (!cs_cli_found_has(&set, set.all[i].fingerprint))
        abort(); /* what was read is found */
    for (size_t i = 0; i < set.count; i++)
      for (const char *at = set.all[i].finding.text; cs_cli_part_next(&at, &key, &value);)
        if (!value.bytes || value.text + value.bytes > set.all[i].line + strlen(set.all[i].line))
          abort(); /* an item is inside of the line */
    cs_cli_print_merged(&set);
    cs_cli_print_top(&set, 3);
    cs_cli_print_sarif(&set, 2);
    cs_cli_print_gitlab(&set);
    cs_cli_print_otlp(&set);
  }
  cs_cli_found_release(&set);
  return 0;
}
