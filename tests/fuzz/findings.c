/* findings.c: lines of JSON that `cusafe findings` merges and converts. */
#include "cli/findings/print.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_cli_found_set set = {0};
  if (cs_cli_found_read(&set, fuzz_file(data, size)) == 0) {
    for (size_t i = 0; i < set.count; i++)
      if (!cs_cli_found_has(&set, set.all[i].fingerprint))
        abort(); /* what was read is found */
    cs_cli_print_merged(&set);
    cs_cli_print_top(&set, 3);
    cs_cli_print_sarif(&set, 2);
    cs_cli_print_gitlab(&set);
    cs_cli_print_otlp(&set);
  }
  cs_cli_found_release(&set);
  return 0;
}
