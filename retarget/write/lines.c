/* lines.c: replaces the marks in a SPIR-V module by source lines.
 *
 * LLVM's back end writes neither OpLine nor scopes of functions. A mark is a call, so the back end keeps its position; here each
 * becomes a scope and a line of the OpenCL.DebugInfo.100 extended instruction set. Debuggers see inlined functions. */
#include "retarget/write/lines.h"
#include "cusafe/layout.h"
#include "retarget/unit/memory.h"
#include <stdlib.h>
#include <string.h>

/* Opcodes and constants of SPIR-V. */
enum {
  MAGIC = 0x07230203,
  HEADER_WORDS = 5,
  BOUND = 3, /* the word of the header that every id is less than */
  OP_NAME = 5,
  OP_STRING = 7,
  OP_LINE = 8,
  OP_EXTENSION = 10,
  OP_IMPORT = 11,
  OP_EXT_INST = 12,
  OP_MEMORY_MODEL = 14,
  OP_ENTRY_POINT = 15,
  OP_EXECUTION_MODE = 16,
  OP_CAPABILITY = 17,
  OP_TYPE_VOID = 19,
  OP_TYPE_INT = 21,
  OP_CONSTANT = 43,
  OP_FUNCTION = 54,
  OP_FUNCTION_END = 56,
  OP_CALL = 57,
  OP_DECORATE = 71,
  OP_BITCAST = 124,
  OP_EXECUTION_MODE_ID = 331
};
/* Instructions and constants of OpenCL.DebugInfo.100. */
enum {
  DEBUG_UNIT = 1,
  DEBUG_BASIC_TYPE = 2,
  DEBUG_POINTER_TYPE = 3,
  DEBUG_FUNCTION_TYPE = 8,
  DEBUG_FUNCTION = 20,
  DEBUG_BLOCK = 21,
  DEBUG_SCOPE = 23,
  DEBUG_INLINED_AT = 25,
  DEBUG_VARIABLE = 26,
  DEBUG_DECLARE = 28,
  DEBUG_EXPRESSION = 31,
  DEBUG_SOURCE = 35,
  DEBUG_NONE = 0,
  IS_DEFINITION = 8,
  VERSION = 100,
  DWARF = 4,
  OPENCL_CPP = 4
};

struct writer {
  const struct cs_rt_lines *lines;
  const cs_u32 *from;
  size_t count; /* words */
  cs_u32 *words;
  size_t used, room;
  cs_u32 bound;
  cs_u32 mark, variable_mark, void_type, word_type, set, none, unit, function_type, expression;
  cs_u32 *constants; /* value by id */
  cs_u32 *casts;     /* by id: the id that it was cast from; 0: it is not a cast */
  cs_u32 *functions; /* by scope: the id of its function */
  /* Ids allocated here, by scope, line, type or variable; 0: not needed. */
  cs_u32 *names, *linkages, *paths, *sources, *scopes, *inlined, *types, *type_names, *variables, *variable_names;
  unsigned char *scope_used, *line_used, *line_inlines, *variable_used;
};

/* --- Words --- */

static void put(struct writer *w, cs_u32 word) {
  if (w->used == w->room)
    w->words = cs_rt_resized(w->words, (w->room = 2 * w->room + 1024) * sizeof *w->words);
  w->words[w->used++] = word;
}

static void put_all(struct writer *w, const cs_u32 *words, size_t count) {
  for (size_t i = 0; i < count; i++)
    put(w, words[i]);
}

static void put_text(struct writer *w, cs_u32 op, cs_u32 result, const char *text) {
  size_t length = strlen(text), words = length / 4 + 1;
  put(w, (cs_u32)(words + 2) << 16 | op);
  put(w, result);
  for (size_t i = 0; i < words; i++) {
    cs_u32 word = 0;
    for (size_t k = 0; k < 4 && 4 * i + k < length; k++)
      word |= (cs_u32)(unsigned char)text[4 * i + k] << 8 * k;
    put(w, word);
  }
}

static cs_u32 put_debug(struct writer *w, cs_u32 instruction, const cs_u32 *operands, cs_u32 count) {
  cs_u32 result = w->bound++;
  const cs_u32 head[] = {(5 + count) << 16 | OP_EXT_INST, w->void_type, result, w->set, instruction};
  put_all(w, head, 5);
  put_all(w, operands, count);
  return result;
}

static cs_u32 opcode(const cs_u32 *instruction) {
  return *instruction & 0xffff;
}
static size_t length_of(const cs_u32 *instruction) {
  return *instruction >> 16;
}
/* Compares the text that starts at this word; is_sound() has checked the length. */
static int is_text(const cs_u32 *instruction, size_t at, const char *text) {
  size_t room = (length_of(instruction) - at) * 4;
  return length_of(instruction) > at && strlen(text) < room && strcmp((const char *)(instruction + at), text) == 0;
}

/* --- Reading --- */

static int is_sound(const cs_u32 *words, size_t count) {
  size_t at = HEADER_WORDS;
  if (count < HEADER_WORDS || words[0] != MAGIC)
    return 0;
  while (at < count && length_of(words + at) && length_of(words + at) <= count - at)
    at += length_of(words + at);
  return at == count;
}

static void use_scope(struct writer *w, unsigned scope) {
  while (scope && !w->scope_used[scope]) {
    w->scope_used[scope] = 1;
    scope = w->lines->scopes[scope - 1].outer;
  }
}

static void use_line(struct writer *w, unsigned line) {
  while (line && line <= w->lines->line_count && !w->line_used[line]) {
    const struct cs_rt_line *l = &w->lines->lines[line - 1];
    w->line_used[line] = 1;
    use_scope(w, l->scope);
    line = l->inlined_at;
    w->line_inlines[line] = 1; /* [0] is unused */
  }
}

static void note_name(struct writer *w, const cs_u32 *i) {
  if (is_text(i, 2, CS_RT_LINE_MARK))
    w->mark = i[1];
  if (is_text(i, 2, CS_RT_VARIABLE_MARK))
    w->variable_mark = i[1];
  for (unsigned s = 1; s <= w->lines->scope_count; s++)
    if (w->lines->scopes[s - 1].owner && is_text(i, 2, w->lines->scopes[s - 1].owner))
      w->functions[s] = i[1];
}

static int calls_mark(const struct writer *w, const cs_u32 *i) {
  return opcode(i) == OP_CALL && length_of(i) == 5 && i[3] == w->mark && i[4] < w->from[BOUND];
}

static int calls_variable(const struct writer *w, const cs_u32 *i) {
  cs_u32 bound = w->from[BOUND];
  return opcode(i) == OP_CALL && length_of(i) == 7 && i[3] == w->variable_mark && i[4] < bound && i[5] < bound &&
         i[6] < bound;
}

static void use_variable(struct writer *w, unsigned line, unsigned variable) {
  use_line(w, line);
  if (variable && variable <= w->lines->variable_count) {
    w->variable_used[variable] = 1;
    use_scope(w, w->lines->variables[variable - 1].scope);
  }
}

/* SPIR-V orders names before definitions, and constants before functions. */
static void read_one(struct writer *w, const cs_u32 *i) {
  switch (opcode(i)) {
  case OP_NAME:
    note_name(w, i);
    break;
  case OP_TYPE_VOID:
    w->void_type = i[1];
    break;
  case OP_TYPE_INT:
    if (i[2] == 32)
      w->word_type = i[1];
    break;
  case OP_BITCAST:
    if (i[2] < w->from[BOUND])
      w->casts[i[2]] = i[3];
    break;
  case OP_CONSTANT:
    if (length_of(i) == 4 && i[2] < w->from[BOUND])
      w->constants[i[2]] = i[3];
    break;
  default:
    if (calls_mark(w, i))
      use_line(w, w->constants[i[4]]);
    else if (calls_variable(w, i))
      use_variable(w, w->constants[i[4]], w->constants[i[5]]);
  }
}

/* --- Writing --- */

static void put_strings(struct writer *w) {
  for (unsigned s = 1; s <= w->lines->scope_count; s++)
    if (w->scope_used[s]) {
      const struct cs_rt_line_scope *scope = &w->lines->scopes[s - 1];
      put_text(w, OP_STRING, w->names[s] = w->bound++, scope->name);
      put_text(w, OP_STRING, w->linkages[s] = w->bound++, scope->linkage);
      put_text(w, OP_STRING, w->paths[s] = w->bound++, scope->file);
    }
  for (unsigned t = 1; t <= w->lines->type_count; t++)
    put_text(w, OP_STRING, w->type_names[t] = w->bound++, w->lines->types[t - 1].name);
  for (unsigned v = 1; v <= w->lines->variable_count; v++)
    if (w->variable_used[v])
      put_text(w, OP_STRING, w->variable_names[v] = w->bound++, w->lines->variables[v - 1].name);
}

static void put_scope(struct writer *w, unsigned s) {
  const struct cs_rt_line_scope *scope = &w->lines->scopes[s - 1];
  if (scope->outer) {
    const cs_u32 block[] = {w->sources[s], scope->line, 0, w->scopes[scope->outer]};
    w->scopes[s] = put_debug(w, DEBUG_BLOCK, block, 4);
    return;
  }
  const cs_u32 function[] = {
      w->names[s], w->function_type, w->sources[s], scope->line, 0,
      w->unit,     w->linkages[s],   IS_DEFINITION, scope->line, w->functions[s] ? w->functions[s] : w->none};
  w->scopes[s] = put_debug(w, DEBUG_FUNCTION, function, 10);
}

/* DWARF's encoding as OpenCL.DebugInfo.100's. */
static cs_u32 encoding_of(unsigned dwarf) {
  static const unsigned char known[] = {0, 1, 2, 0, 3, 4, 5, 6, 7};
  return dwarf < sizeof known ? known[dwarf] : dwarf == 0x10 ? 6 : 0; /* UTF */
}

static void put_type(struct writer *w, unsigned t) {
  const struct cs_rt_line_type *type = &w->lines->types[t - 1];
  if (type->pointer) {
    const cs_u32 pointer[] = {type->pointee ? w->types[type->pointee] : w->void_type, ~0u, 0};
    w->types[t] = put_debug(w, DEBUG_POINTER_TYPE, pointer, 3);
    return;
  }
  const cs_u32 bits[] = {4 << 16 | OP_CONSTANT, w->word_type, w->bound++, type->bits};
  put_all(w, bits, 4);
  const cs_u32 basic[] = {w->type_names[t], bits[2], encoding_of(type->encoding)};
  w->types[t] = put_debug(w, DEBUG_BASIC_TYPE, basic, 3);
}

static void put_variable(struct writer *w, unsigned v) {
  const struct cs_rt_line_variable *variable = &w->lines->variables[v - 1];
  const cs_u32 all[] = {w->variable_names[v],
                        w->types[variable->type],
                        w->sources[variable->scope],
                        variable->line,
                        0,
                        w->scopes[variable->scope],
                        0,
                        variable->argument};
  w->variables[v] = put_debug(w, DEBUG_VARIABLE, all, variable->argument ? 8 : 7);
}

static void put_variables(struct writer *w) {
  if (!w->lines->variable_count || !w->word_type)
    return;
  for (unsigned t = 1; t <= w->lines->type_count; t++)
    put_type(w, t);
  for (unsigned v = 1; v <= w->lines->variable_count; v++)
    if (w->variable_used[v])
      put_variable(w, v);
  w->expression = put_debug(w, DEBUG_EXPRESSION, NULL, 0);
}

/* Each entry after those that it refers to: a line is inlined into one with a lower number, and a block follows its function. */
static void put_table(struct writer *w) {
  const cs_u32 type[] = {0, w->void_type};
  unsigned first = 0;
  for (unsigned s = w->lines->scope_count; s; s--)
    if (w->scope_used[s]) {
      w->sources[s] = put_debug(w, DEBUG_SOURCE, &w->paths[s], 1);
      first = s;
    }
  if (!first)
    return;
  const cs_u32 unit[] = {VERSION, DWARF, w->sources[first], OPENCL_CPP};
  w->unit = put_debug(w, DEBUG_UNIT, unit, 4);
  w->none = put_debug(w, DEBUG_NONE, NULL, 0);
  w->function_type = put_debug(w, DEBUG_FUNCTION_TYPE, type, 2);
  for (unsigned s = 1; s <= w->lines->scope_count; s++)
    if (w->scope_used[s])
      put_scope(w, s);
  for (unsigned l = 1; l <= w->lines->line_count; l++)
    if (w->line_used[l] && w->line_inlines[l]) {
      const struct cs_rt_line *line = &w->lines->lines[l - 1];
      const cs_u32 at[] = {line->line, w->scopes[line->scope], w->inlined[line->inlined_at]};
      w->inlined[l] = put_debug(w, DEBUG_INLINED_AT, at, line->inlined_at ? 3 : 2);
    }
  put_variables(w);
}

static void put_line(struct writer *w, unsigned number) {
  if (!number || number > w->lines->line_count)
    return;
  const struct cs_rt_line *line = &w->lines->lines[number - 1];
  const cs_u32 scope[] = {w->scopes[line->scope], w->inlined[line->inlined_at]};
  const cs_u32 position[] = {4 << 16 | OP_LINE, w->paths[line->scope], line->line, line->column};
  put_debug(w, DEBUG_SCOPE, scope, line->inlined_at ? 2 : 1);
  put_all(w, position, 4);
}

static void put_declaration(struct writer *w, const cs_u32 *call) {
  unsigned v = w->constants[call[5]];
  cs_u32 memory = call[6];
  while (w->casts[memory] && w->casts[memory] < w->from[BOUND])
    memory = w->casts[memory];
  if (!v || v > w->lines->variable_count || !w->variables[v])
    return;
  const cs_u32 declaration[] = {w->variables[v], memory, w->expression};
  put_line(w, w->constants[call[4]]);
  put_debug(w, DEBUG_DECLARE, declaration, 3);
}

/* Whether the instruction belongs to the sections before OpString. */
static int precedes_strings(cs_u32 op) {
  return op == OP_CAPABILITY || op == OP_EXTENSION || op == OP_IMPORT || op == OP_MEMORY_MODEL ||
         op == OP_ENTRY_POINT || op == OP_EXECUTION_MODE || op == OP_EXECUTION_MODE_ID;
}

static int is_of_mark(const struct writer *w, const cs_u32 *i) {
  cs_u32 op = opcode(i);
  return (op == OP_NAME || op == OP_DECORATE) && (i[1] == w->mark || i[1] == w->variable_mark);
}

static void write_all(struct writer *w) {
  enum { IMPORTS, STRINGS, TABLE, CODE } next = IMPORTS;
  int in_mark = 0;
  put_all(w, w->from, HEADER_WORDS);
  for (const cs_u32 *i = w->from + HEADER_WORDS; i < w->from + w->count; i += length_of(i)) {
    cs_u32 op = opcode(i);
    if (next == IMPORTS && op == OP_MEMORY_MODEL) {
      put_text(w, OP_IMPORT, w->set = w->bound++, "OpenCL.DebugInfo.100");
      next = STRINGS;
    }
    if (next == STRINGS && !precedes_strings(op)) {
      put_strings(w);
      next = TABLE;
    }
    if (next == TABLE && op == OP_FUNCTION) {
      put_table(w);
      next = CODE;
    }
    in_mark |= op == OP_FUNCTION && (i[2] == w->mark || i[2] == w->variable_mark);
    if (calls_mark(w, i))
      put_line(w, w->constants[i[4]]);
    else if (calls_variable(w, i))
      put_declaration(w, i);
    else if (!in_mark && !is_of_mark(w, i))
      put_all(w, i, length_of(i));
    in_mark &= op != OP_FUNCTION_END;
  }
  w->words[BOUND] = w->bound;
}

static void *of_scopes(const struct writer *w, size_t element) {
  return cs_rt_allocate(w->lines->scope_count + 1, element);
}
static void *of_lines(const struct writer *w, size_t element) {
  return cs_rt_allocate(w->lines->line_count + 1, element);
}

static void close_writer(struct writer *w) {
  void *const all[] = {w->words,   w->constants, w->functions,  w->names,      w->linkages,       w->paths,
                       w->sources, w->scopes,    w->inlined,    w->scope_used, w->line_used,      w->line_inlines,
                       w->casts,   w->types,     w->type_names, w->variables,  w->variable_names, w->variable_used};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

LLVMMemoryBufferRef cs_rt_write_lines(LLVMMemoryBufferRef spirv, const struct cs_rt_lines *lines) {
  struct writer w = {.lines = lines, .count = LLVMGetBufferSize(spirv) / sizeof(cs_u32)};
  cs_u32 *from = cs_rt_allocate(w.count, sizeof *from);
  memcpy(from, LLVMGetBufferStart(spirv), w.count * sizeof *from);
  w.from = from;
  LLVMDisposeMemoryBuffer(spirv);
  LLVMMemoryBufferRef made = NULL;
  if (is_sound(w.from, w.count)) {
    w.bound = w.from[BOUND];
    w.constants = cs_rt_allocate(w.bound, sizeof *w.constants);
    w.functions = of_scopes(&w, sizeof *w.functions);
    w.names = of_scopes(&w, sizeof *w.names);
    w.linkages = of_scopes(&w, sizeof *w.linkages);
    w.paths = of_scopes(&w, sizeof *w.paths);
    w.sources = of_scopes(&w, sizeof *w.sources);
    w.scopes = of_scopes(&w, sizeof *w.scopes);
    w.scope_used = of_scopes(&w, 1);
    w.inlined = of_lines(&w, sizeof *w.inlined);
    w.line_used = of_lines(&w, 1);
    w.line_inlines = of_lines(&w, 1);
    w.casts = cs_rt_allocate(w.bound, sizeof *w.casts);
    w.types = cs_rt_allocate(lines->type_count + 1, sizeof *w.types);
    w.type_names = cs_rt_allocate(lines->type_count + 1, sizeof *w.type_names);
    w.variables = cs_rt_allocate(lines->variable_count + 1, sizeof *w.variables);
    w.variable_names = cs_rt_allocate(lines->variable_count + 1, sizeof *w.variable_names);
    w.variable_used = cs_rt_allocate(lines->variable_count + 1, 1);
    for (const cs_u32 *i = w.from + HEADER_WORDS; i < w.from + w.count; i += length_of(i))
      read_one(&w, i);
    write_all(&w);
    made = LLVMCreateMemoryBufferWithMemoryRangeCopy((const char *)w.words, w.used * sizeof *w.words, "spirv");
  }
  free(from);
  close_writer(&w);
  return made;
}
