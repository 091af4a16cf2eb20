/* opcode.c: the rows of opcodes.inc, and the parts of an opcode. */
#include "ptx/opcode.h"
#include <stdlib.h>
#include <string.h>

static const struct {
  const char *name;
  unsigned traits;
} rows[] = {
    [CS_PTX_UNKNOWN] = {"", 0},
#define CS_PTX_OPCODE(opcode, access, lift, cpu, traits) [CS_PTX_OP_##opcode] = {#opcode, traits},
#include "ptx/opcodes.inc"
};

enum cs_ptx_code cs_ptx_code(const char *part) {
  for (unsigned k = 1; k < sizeof rows / sizeof *rows; k++)
    if (rows[k].name[0] == part[0] && strcmp(rows[k].name, part) == 0)
      return (enum cs_ptx_code)k;
  return CS_PTX_UNKNOWN;
}

int cs_ptx_is(const struct cs_ptx_instruction *i, enum cs_ptx_trait trait) {
  return (rows[i->code].traits & trait) != 0;
}

int cs_ptx_type(const char *text, struct cs_ptx_type *type) {
  static const struct {
    const char *name;
    struct cs_ptx_type type;
  } named[] = {{"pred", {'p', 1, 1}},   {"f16", {'h', 16, 1}},    {"f16x2", {'h', 16, 2}},
               {"bf16", {'g', 16, 1}},  {"bf16x2", {'g', 16, 2}}, {"s16x2", {'s', 16, 2}},
               {"u16x2", {'u', 16, 2}}, {"tf32", {'t', 32, 1}},   {"f32x2", {'f', 32, 2}}};
  for (size_t i = 0; i < sizeof named / sizeof *named; i++)
    if (strcmp(text, named[i].name) == 0) {
      *type = named[i].type;
      return 1;
    }
  char *end = NULL;
  unsigned long bits = text[0] && strchr("busf", text[0]) ? strtoul(text + 1, &end, 10) : 0;
  if (!end || *end || (bits != 8 && bits != 16 && bits != 32 && bits != 64 && bits != 128))
    return 0;
  *type = (struct cs_ptx_type){text[0], (unsigned)bits, 1};
  return 1;
}

unsigned cs_ptx_types(const struct cs_ptx_instruction *i, struct cs_ptx_type types[2]) {
  unsigned count = 0;
  for (unsigned k = 1; k < i->part_count && count < 2; k++)
    count += (unsigned)cs_ptx_type(i->parts[k], &types[count]);
  return count;
}

int cs_ptx_has(const struct cs_ptx_instruction *i, const char *part) {
  for (unsigned k = 1; k < i->part_count; k++)
    if (strcmp(i->parts[k], part) == 0)
      return 1;
  return 0;
}

static int is_among(const char *word, const char *words) {
  size_t length = strlen(word);
  for (const char *at = words; length && (at = strstr(at, word)); at += length)
    if ((at == words || at[-1] == ' ') && (at[length] == 0 || at[length] == ' '))
      return 1;
  return 0;
}

int cs_ptx_knows(const struct cs_ptx_instruction *i, const char *words) {
  struct cs_ptx_type type;
  for (unsigned k = 1; k < i->part_count; k++)
    if (!cs_ptx_type(i->parts[k], &type) && !is_among(i->parts[k], words))
      return 0;
  return 1;
}
