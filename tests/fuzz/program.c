/* program.c: the device code in a program or library, which cusafe doctor describes. */
#include "cli/program.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_cli_program program;
  if (cs_cli_program_inspect(&program, fuzz_file(data, size)) == 0)
    for (size_t i = 1; i < program.ptx.count; i++)
      if (program.ptx.items[i - 1] >= program.ptx.items[i])
        abort();
  return 0;
}
