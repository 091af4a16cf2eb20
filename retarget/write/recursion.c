/* recursion.c: calls recursive functions through pointers that the engine cannot follow.
 *
 * In a kernel with barriers, the engine splits functions that call themselves as if they had barriers as well, and all
 * threads then have the values of one. So it sees no such calls: a variable of the module has the function's address,
 * and each call loads it (SPV_INTEL_function_pointers). LLVM's back end could write the same, but confuses constants in
 * functions that use addresses. */
#include "retarget/write/recursion.h"
#include "ir/memory.h"
#include "retarget/unit/library.h"
#include "retarget/write/words.h"
#include <stdlib.h>

struct function {
  cs_u32 type;       /* 0: it has no body */
  int is_called;     /* in this module: after inlining it is recursive, or cold code of the runtime */
  int is_of_runtime; /* or of the support library: these do not recurse */
  cs_u32 pointer_type, variable_type, address, variable;
};

struct module {
  struct cs_rt_words words;
  struct function *functions; /* by id */
  cs_u32 *recursive;          /* ids */
  unsigned count;
};

static int is_recursive(const struct function *f) {
  return f->type && f->is_called && !f->is_of_runtime;
}

static void read_functions(struct module *m) {
  const cs_u32 *function = NULL, *end = m->words.from + m->words.count;
  for (const cs_u32 *i = m->words.from + HEADER_WORDS; i < end; i += cs_rt_length(i))
    switch (cs_rt_opcode(i)) {
    case OP_NAME:
      m->functions[i[1]].is_of_runtime = cs_rt_is_of_runtime((const char *)(i + 2));
      break;
    case OP_FUNCTION:
      function = i;
      break;
    case OP_LABEL:
      if (function)
        m->functions[function[2]].type = function[4];
      break;
    case OP_CALL:
      m->functions[i[3]].is_called = 1;
      break;
    default:;
    }
}

/* Functions of one type share their types of pointers, as SPIR-V demands. */
static void assign_ids(struct module *m, struct function *f) {
  f->address = m->words.bound++;
  f->variable = m->words.bound++;
  for (unsigned k = 0; k < m->count; k++) {
    const struct function *other = &m->functions[m->recursive[k]];
    if (other->type == f->type) {
      f->pointer_type = other->pointer_type;
      f->variable_type = other->variable_type;
      return;
    }
  }
  f->pointer_type = m->words.bound++;
  f->variable_type = m->words.bound++;
}

static void find_recursive(struct module *m) {
  for (cs_u32 id = 0; id < m->words.from[BOUND]; id++)
    if (is_recursive(&m->functions[id])) {
      assign_ids(m, &m->functions[id]);
      cs_ir_push(m->recursive, m->count, id);
    }
}

/* --- Writing --- */

static void put_extension(struct module *m) {
  const cs_u32 capability[] = {2 << 16 | OP_CAPABILITY, FUNCTION_POINTERS};
  cs_rt_put_all(&m->words, capability, 2);
  cs_rt_put_text(&m->words, OP_EXTENSION, 0, "SPV_INTEL_function_pointers");
}

/* An entry point lists the variables that its kernel may use. */
static void put_entry_point(struct module *m, const cs_u32 *i) {
  const cs_u32 head = *i + (m->count << 16);
  cs_rt_put_all(&m->words, &head, 1);
  cs_rt_put_all(&m->words, i + 1, cs_rt_length(i) - 1);
  for (unsigned k = 0; k < m->count; k++)
    cs_rt_put_all(&m->words, &m->functions[m->recursive[k]].variable, 1);
}

static void put_variables(struct module *m) {
  for (unsigned k = 0; k < m->count; k++) {
    const struct function *f = &m->functions[m->recursive[k]];
    const cs_u32 types[] = {4 << 16 | OP_TYPE_POINTER, f->pointer_type,  CODE_SECTION,    f->type,
                            4 << 16 | OP_TYPE_POINTER, f->variable_type, CROSS_WORKGROUP, f->pointer_type};
    const cs_u32 variable[] = {4 << 16 | OP_FUNCTION_POINTER,
                               f->pointer_type,
                               f->address,
                               m->recursive[k],
                               5 << 16 | OP_VARIABLE,
                               f->variable_type,
                               f->variable,
                               CROSS_WORKGROUP,
                               f->address};
    if (f->pointer_type == f->variable + 1)
      cs_rt_put_all(&m->words, types, 8);
    cs_rt_put_all(&m->words, variable, 9);
  }
}

static void put_call(struct module *m, const cs_u32 *i) {
  const struct function *f = &m->functions[i[3]];
  const cs_u32 loaded = m->words.bound++;
  const cs_u32 load[] = {6 << 16 | OP_LOAD, f->pointer_type, loaded, f->variable, VOLATILE_AND_ALIGNED, sizeof(cs_u64)};
  const cs_u32 call[] = {(cs_u32)cs_rt_length(i) << 16 | OP_POINTER_CALL, i[1], i[2], loaded};
  cs_rt_put_all(&m->words, load, 6);
  cs_rt_put_all(&m->words, call, 4);
  cs_rt_put_all(&m->words, i + 4, cs_rt_length(i) - 4);
}

static void write_all(struct module *m) {
  const cs_u32 *end = m->words.from + m->words.count;
  int has_extension = 0, has_variables = 0;
  for (const cs_u32 *i = m->words.from + HEADER_WORDS; i < end; i += cs_rt_length(i)) {
    cs_u32 op = cs_rt_opcode(i);
    if (op != OP_CAPABILITY && !has_extension++)
      put_extension(m);
    if (op == OP_FUNCTION && !has_variables++)
      put_variables(m);
    if (op == OP_ENTRY_POINT)
      put_entry_point(m, i);
    else if (op == OP_CALL && is_recursive(&m->functions[i[3]]))
      put_call(m, i);
    else
      cs_rt_put_all(&m->words, i, cs_rt_length(i));
  }
}

LLVMMemoryBufferRef cs_rt_hide_recursion(LLVMMemoryBufferRef spirv) {
  struct module m = {.count = 0};
  if (cs_rt_read_words(&m.words, spirv))
    return NULL;
  m.functions = cs_ir_allocate(m.words.bound, sizeof *m.functions);
  read_functions(&m);
  find_recursive(&m);
  if (m.count)
    write_all(&m);
  else
    cs_rt_put_all(&m.words, m.words.from + HEADER_WORDS, m.words.count - HEADER_WORDS);
  free(m.functions);
  free(m.recursive);
  return cs_rt_written(&m.words);
}
