/* arguments.c: the arguments of `cusafe cc`, from a response file. */
#include "cli/cc/args.h"
#include "cli/cc/expand.h"
#include "tests/fuzz/fuzz.h"

/* Files that an input names are not read: they are other inputs, or of this machine. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = fuzz_text(data, size), file[80];
  int names_file = strchr(text, '@') || strstr(text, "-optf") || strstr(text, "--options-file");
  snprintf(file, sizeof file, "@%s", fuzz_file(data, size));
  char *argv[] = {"cusafe cc", file, NULL};
  struct cs_cli_argv words = {0};
  struct cs_cli_cc cc = {0};
  if (!names_file && cs_cli_cc_expand(2, argv, &words) == 0) {
    if (cs_cli_cc_parse(&cc, (int)words.count, words.items) == 0)
      cs_cli_cc_suggest(&cc);
    cs_cli_cc_free(&cc);
  }
  cs_cli_argv_free(&words);
  free(text);
  return 0;
}
