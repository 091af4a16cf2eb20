/* opcode.c: the parts of an opcode. */
#include "lift/instructions.h"
#include <string.h>

int cs_lift_knows(const struct cs_ptx_instruction *i, const char *words) {
  for (unsigned k = 1; k < i->part_count; k++)
    if (!cs_ptx_is_type_or(i->parts[k], words))
      return 0;
  return 1;
}

int cs_lift_has(const struct cs_ptx_instruction *i, const char *part) {
  for (unsigned k = 1; k < i->part_count; k++)
    if (strcmp(i->parts[k], part) == 0)
      return 1;
  return 0;
}

unsigned cs_lift_types(const struct cs_ptx_instruction *i, struct cs_ptx_type types[2]) {
  unsigned count = 0;
  for (unsigned k = 1; k < i->part_count && count < 2; k++)
    count += (unsigned)cs_ptx_type(i->parts[k], &types[count]);
  return count;
}
