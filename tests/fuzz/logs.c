/* logs.c: the logs of builds and runs that `cusafe survey` judges. */
#include "cli/survey/judge.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *log = fuzz_file(data, size);
  struct cs_cli_result built = {.clang = -1}, failed = {.exit_code = 139, .clang = -1}, ran = {.ran = 1, .clang = -1};
  cs_cli_judge_build(log, &built);
  cs_cli_judge_run(log, &failed);
  cs_cli_judge_run(log, &ran);
  cs_cli_judge_make_status(log, 2);
  cs_cli_count_findings(log);
  return 0;
}
