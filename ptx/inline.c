/* inline.c: parses the text of inline assembly, and splits the operands of its instructions. */
#include "ptx/inline.h"
#include "ptx/functions.h"
#include "ptx/module.h"
#include <string.h>

void cs_ptx_parse_inline(struct cs_ptx_inline *tree, const char *text) {
  struct cs_ptx_error error;
  struct cs_ptx_parser p = {.lexer = {text, 1}, .module = &tree->module, .error = &error, .is_inline = 1};
  memset(tree, 0, sizeof *tree);
  cs_ptx_advance(&p);
  tree->unknown = cs_ptx_parse_statements(&p, &tree->body);
}

void cs_ptx_inline_free(struct cs_ptx_inline *tree) {
  cs_ptx_module_free(&tree->module);
}

/* Returns the number of elements after these operands, past the limit if there are too many. */
static unsigned add_elements(const struct cs_ptx_operand *operands, unsigned count,
                             const struct cs_ptx_operand *elements[CS_PTX_MAX_ELEMENTS], unsigned found) {
  for (unsigned k = 0; k < count && found <= CS_PTX_MAX_ELEMENTS; k++) {
    const struct cs_ptx_operand *o = &operands[k];
    if (o->kind == CS_PTX_VECTOR || o->kind == CS_PTX_PAIR)
      found = add_elements(o->items, o->count, elements, found);
    else if (found++ < CS_PTX_MAX_ELEMENTS)
      elements[found - 1] = o;
  }
  return found;
}

unsigned cs_ptx_elements(const struct cs_ptx_operand *operands, unsigned count,
                         const struct cs_ptx_operand *elements[CS_PTX_MAX_ELEMENTS]) {
  unsigned found = add_elements(operands, count, elements, 0);
  return found <= CS_PTX_MAX_ELEMENTS ? found : 0;
}

const struct cs_ptx_operand *cs_ptx_base(const struct cs_ptx_operand *operand) {
  return operand->kind == CS_PTX_ADDRESS && operand->count == 1 && !operand->items->negated ? operand->items : NULL;
}
