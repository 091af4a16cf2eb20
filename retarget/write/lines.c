/* lines.c: replaces the marks in a SPIR-V module by source lines.
 *
 * LLVM's back end writes neither OpLine nor scopes of functions. A mark is a call, so the back end keeps its position;
 * here each becomes a scope and a line of the OpenCL.DebugInfo.100 extended instruction set. Debuggers see inlined
 * functions. */
#include "retarget/write/lines.h"
#include "ir/memory.h"
#include "retarget/write/words.h"
#include <stdlib.h>

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
  struct cs_rt_words *module;
  cs_u32 mark, variable_mark, void_type, word_type, set, none, unit, function_type, expression;
  cs_u32 *constants; /* value by id */
  cs_u32 *casts;     /* by id: the id that it was cast from; 0: it is not a cast */
  cs_u32 *functions; /* by scope: the id of its function */
  /* Ids allocated here, by scope, line, type or variable; 0: not needed. */
  cs_u32 *names, *linkages, *paths, *sources, *scopes, *inlined, *types, *type_names, *variables, *variable_names;
  unsigned char *scope_used, *line_used, *line_inlines, *variable_used;
};

static cs_u32 put_debug(struct writer *w, cs_u32 instruction, const cs_u32 *operands, cs_u32 count) {
  cs_u32 result = w->module->bound++;
  const cs_u32 head[] = {(5 + count) << 16 | OP_EXT_INST, w->void_type, result, w->set, instruction};
  cs_rt_put_all(w->module, head, 5);
  cs_rt_put_all(w->module, operands, count);
  return result;
}

/* --- Reading --- */

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
  if (cs_rt_is_text(i, 2, CS_RT_LINE_MARK))
    w->mark = i[1];
  if (cs_rt_is_text(i, 2, CS_RT_VARIABLE_MARK))
    w->variable_mark = i[1];
  for (unsigned s = 1; s <= w->lines->scope_count; s++)
    if (w->lines->scopes[s - 1].owner && cs_rt_is_text(i, 2, w->lines->scopes[s - 1].owner))
      w->functions[s] = i[1];
}

static int calls_mark(const struct writer *w, const cs_u32 *i) {
  return cs_rt_opcode(i) == OP_CALL && cs_rt_length(i) == 5 && i[3] == w->mark && i[4] < w->module->from[BOUND];
}

static int calls_variable(const struct writer *w, const cs_u32 *i) {
  cs_u32 bound = w->module->from[BOUND];
  return cs_rt_opcode(i) == OP_CALL && cs_rt_length(i) == 7 && i[3] == w->variable_mark && i[4] < bound &&
         i[5] < bound && i[6] < bound;
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
  switch (cs_rt_opcode(i)) {
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
    if (i[2] < w->module->from[BOUND])
      w->casts[i[2]] = i[3];
    break;
  case OP_CONSTANT:
    if (cs_rt_length(i) == 4 && i[2] < w->module->from[BOUND])
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
      cs_rt_put_text(w->module, OP_STRING, w->names[s] = w->module->bound++, scope->name);
      cs_rt_put_text(w->module, OP_STRING, w->linkages[s] = w->module->bound++, scope->linkage);
      cs_rt_put_text(w->module, OP_STRING, w->paths[s] = w->module->bound++, scope->file);
    }
  for (unsigned t = 1; t <= w->lines->type_count; t++)
    cs_rt_put_text(w->module, OP_STRING, w->type_names[t] = w->module->bound++, w->lines->types[t - 1].name);
  for (unsigned v = 1; v <= w->lines->variable_count; v++)
    if (w->variable_used[v])
      cs_rt_put_text(w->module, OP_STRING, w->variable_names[v] = w->module->bound++, w->lines->variables[v - 1].name);
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
  const cs_u32 bits[] = {4 << 16 | OP_CONSTANT, w->word_type, w->module->bound++, type->bits};
  cs_rt_put_all(w->module, bits, 4);
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

/* Each entry after those that it refers to: a line is inlined into one with a lower number, and a block follows its
 * function. */
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
  cs_rt_put_all(w->module, position, 4);
}

static void put_declaration(struct writer *w, const cs_u32 *call) {
  unsigned v = w->constants[call[5]];
  cs_u32 memory = call[6];
  while (w->casts[memory] && w->casts[memory] < w->module->from[BOUND])
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
  cs_u32 op = cs_rt_opcode(i);
  return (op == OP_NAME || op == OP_DECORATE) && (i[1] == w->mark || i[1] == w->variable_mark);
}

static void write_all(struct writer *w) {
  enum { IMPORTS, STRINGS, TABLE, CODE } next = IMPORTS;
  int in_mark = 0;
  const cs_u32 *from = w->module->from, *end = from + w->module->count;
  for (const cs_u32 *i = from + HEADER_WORDS; i < end; i += cs_rt_length(i)) {
    cs_u32 op = cs_rt_opcode(i);
    if (next == IMPORTS && op == OP_MEMORY_MODEL) {
      cs_rt_put_text(w->module, OP_IMPORT, w->set = w->module->bound++, "OpenCL.DebugInfo.100");
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
      cs_rt_put_all(w->module, i, cs_rt_length(i));
    in_mark &= op != OP_FUNCTION_END;
  }
}

static void *of_scopes(const struct writer *w, size_t element) {
  return cs_ir_allocate(w->lines->scope_count + 1, element);
}
static void *of_lines(const struct writer *w, size_t element) {
  return cs_ir_allocate(w->lines->line_count + 1, element);
}

static void close_writer(struct writer *w) {
  void *const all[] = {w->constants, w->functions,  w->names,      w->linkages,       w->paths,        w->sources,
                       w->scopes,    w->inlined,    w->scope_used, w->line_used,      w->line_inlines, w->casts,
                       w->types,     w->type_names, w->variables,  w->variable_names, w->variable_used};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    free(all[i]);
}

LLVMMemoryBufferRef cs_rt_write_lines(LLVMMemoryBufferRef spirv, const struct cs_rt_lines *lines) {
  struct cs_rt_words module;
  struct writer w = {.lines = lines, .module = &module};
  if (cs_rt_read_words(&module, spirv))
    return NULL;
  w.constants = cs_ir_allocate(module.bound, sizeof *w.constants);
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
  w.casts = cs_ir_allocate(module.bound, sizeof *w.casts);
  w.types = cs_ir_allocate(lines->type_count + 1, sizeof *w.types);
  w.type_names = cs_ir_allocate(lines->type_count + 1, sizeof *w.type_names);
  w.variables = cs_ir_allocate(lines->variable_count + 1, sizeof *w.variables);
  w.variable_names = cs_ir_allocate(lines->variable_count + 1, sizeof *w.variable_names);
  w.variable_used = cs_ir_allocate(lines->variable_count + 1, 1);
  for (const cs_u32 *i = module.from + HEADER_WORDS; i < module.from + module.count; i += cs_rt_length(i))
    read_one(&w, i);
  write_all(&w);
  close_writer(&w);
  return cs_rt_written(&module);
}
