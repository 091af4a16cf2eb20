/* ptx.c: inline PTX, as the pass and the retargeter read it. */
#include "ptx/accesses.h"
#include "tests/fuzz/fuzz.h"

static int constant(void *context, unsigned operand, cs_u64 *value) {
  (void)context;
  *value = 16;
  return operand % 2 == 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct cs_ptx_use uses[CS_PTX_MAX_OPERANDS];
  char *text = fuzz_text(data, size);
  struct cs_ptx_inline tree;
  cs_ptx_parse_inline(&tree, text);
  cs_ptx_read(&tree, uses, constant, NULL);
  cs_ptx_inline_free(&tree);
  for (size_t i = 0; i < CS_PTX_MAX_OPERANDS; i++)
    if (uses[i].high < uses[i].low)
      abort();
  free(text);
  return 0;
}
