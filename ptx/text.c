/* text.c: parses statements, opcodes, operands and types of PTX. */
#include "ptx/text.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static int append(char *to, size_t size, char c) {
  size_t length = strlen(to);
  if (length + 1 >= size)
    return 0;
  to[length] = c;
  to[length + 1] = 0;
  return 1;
}

static const char *skip_space(const char *text) {
  while (isspace((unsigned char)*text))
    text++;
  return text;
}

static const char *read_word(const char *text, char *word, size_t size) {
  while (*text && *text != ';' && !isspace((unsigned char)*text)) {
    if (!append(word, size, *text++))
      return NULL;
  }
  return text;
}

static int split_opcode(struct cs_ptx_statement *s) {
  for (const char *at = s->opcode; at;) {
    const char *dot = strchr(at, '.');
    size_t length = dot ? (size_t)(dot - at) : strlen(at);
    if (s->part_count == CS_PTX_MAX_PARTS || length >= sizeof s->parts[0])
      return 0;
    memcpy(s->parts[s->part_count++], at, length);
    at = dot ? dot + 1 : NULL;
  }
  return 1;
}

/* Splits the operands at commas outside brackets and drops spaces. */
static const char *read_operands(const char *text, struct cs_ptx_statement *s) {
  int depth = 0;
  for (; *text && (*text != ';'); text++) {
    char c = *text;
    depth += (c == '{' || c == '[') - (c == '}' || c == ']');
    if (depth < 0)
      break; /* the end of the scope, after a statement without a semicolon */
    if (isspace((unsigned char)c))
      continue;
    if (s->count == 0)
      s->count = 1;
    if (c == ',' && depth == 0) {
      if (s->count++ == CS_PTX_MAX_STATEMENT_OPERANDS)
        return NULL;
    } else if (!append(s->operands[s->count - 1], CS_PTX_MAX_NAME, c)) {
      return NULL;
    }
  }
  return text;
}

const char *cs_ptx_parse(const char *text, struct cs_ptx_statement *s) {
  memset(s, 0, sizeof *s);
  if (*text == '@') {
    s->negated = *++text == '!';
    text = read_word(text + s->negated, s->predicate, sizeof s->predicate);
    if (!text)
      return NULL;
    text = skip_space(text);
  }
  if (strncmp(text, ".reg", 4) == 0 || strncmp(text, ".pragma", 7) == 0)
    return text + strcspn(text, ";"); /* registers need no declaration here */
  text = read_word(text, s->opcode, sizeof s->opcode);
  if (!text || !split_opcode(s))
    return NULL;
  return read_operands(text, s);
}

int cs_ptx_type(const char *text, struct cs_ptx_type *type) {
  static const struct {
    const char *name;
    struct cs_ptx_type type;
  } named[] = {{"pred", {'p', 1, 1}},    {"f16", {'h', 16, 1}},   {"f16x2", {'h', 16, 2}}, {"bf16", {'g', 16, 1}},
               {"bf16x2", {'g', 16, 2}}, {"s16x2", {'s', 16, 2}}, {"u16x2", {'u', 16, 2}}, {"tf32", {'t', 32, 1}}};
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

unsigned cs_ptx_types(const struct cs_ptx_statement *s, struct cs_ptx_type types[2]) {
  unsigned count = 0;
  for (unsigned i = 1; i < s->part_count && count < 2; i++)
    count += (unsigned)cs_ptx_type(s->parts[i], &types[count]);
  return count;
}

int cs_ptx_has(const struct cs_ptx_statement *s, const char *part) {
  for (unsigned i = 1; i < s->part_count; i++)
    if (strcmp(s->parts[i], part) == 0)
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

int cs_ptx_is_type_or(const char *part, const char *words) {
  struct cs_ptx_type type;
  return cs_ptx_type(part, &type) || is_among(part, words);
}

int cs_ptx_knows(const struct cs_ptx_statement *s, const char *words) {
  for (unsigned i = 1; i < s->part_count; i++)
    if (!cs_ptx_is_type_or(s->parts[i], words))
      return 0;
  return 1;
}

int cs_ptx_address(const char *text, char base[CS_PTX_MAX_NAME], long long *offset) {
  size_t length = strlen(text);
  if (length < 3 || length - 2 >= CS_PTX_MAX_NAME || text[0] != '[' || text[length - 1] != ']')
    return 0;
  memcpy(base, text + 1, length - 2);
  base[length - 2] = 0;
  char *plus = strchr(base, '+'), *end = NULL;
  *offset = plus ? strtoll(plus + 1, &end, 0) : 0;
  if (plus && (*end || end == plus + 1))
    return 0;
  if (plus)
    *plus = 0;
  return 1;
}

unsigned cs_ptx_list(const char *text, char items[CS_PTX_MAX_LIST][CS_PTX_MAX_NAME]) {
  unsigned count = 1;
  memset(items, 0, CS_PTX_MAX_LIST * CS_PTX_MAX_NAME);
  for (; *text; text++) {
    if (*text == '{' || *text == '}')
      continue;
    if (*text == ',' || *text == '|') {
      if (count++ == CS_PTX_MAX_LIST)
        return 0;
    } else if (!append(items[count - 1], CS_PTX_MAX_NAME, *text)) {
      return 0;
    }
  }
  return count;
}

void cs_ptx_plain_text(char *text) {
  char *to = text;
  for (const char *at = text; *at; at++) {
    if (at[0] == '/' && at[1] == '/') {
      at += strcspn(at, "\n");
    } else if (at[0] == '/' && at[1] == '*') {
      const char *end = strstr(at + 2, "*/");
      at = end ? end + 1 : at + strlen(at) - 1;
    } else if (at[0] == '$' && at[1] == '$') {
      *to++ = '_';
      at++;
      continue;
    } else if (!isspace((unsigned char)*at)) {
      *to++ = *at;
      continue;
    }
    *to++ = ' ';
    if (!*at)
      break; /* the comment ends the text */
  }
  *to = 0;
}
