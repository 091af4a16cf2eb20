/* pointer_calls.c: calls functions through pointers: recursive ones, and those of other modules.
 *
 * In a kernel with barriers, the engine splits functions that call themselves as if they had barriers as well, and all
 * threads then have the values of one. So it sees no such calls: a variable of the module has the function's address,
 * and each call loads it (SPV_INTEL_function_pointers). LLVM's back end could write the same, but confuses constants in
 * functions that use addresses.
 *
 * Functions of another module (engine_quirks/failing_path.c) are called at an address that the kernel has loaded. */
#include "retarget/write/pointer_calls.h"
#include "ir/memory.h"
#include "ir/names.h"
#include "retarget/unit/library.h"
#include "retarget/write/words.h"
#include <stdlib.h>
#include <string.h>

struct function {
  cs_u32 type;       /* 0: it has no body */
  int is_called;     /* in this module: after inlining it is recursive, or cold code of the runtime */
  int is_of_runtime; /* or of the support library: these do not recurse */
  const char *stands_for;
  int is_elsewhere;                                      /* of a stand-in: calls, or gives the address */
  int has_address;                                       /* which a stand-in asks for */
  cs_u32 pointer_type, variable_type, address, variable; /* 0 unless it is listed */
};

struct module {
  struct cs_rt_words words;
  struct function *functions; /* by id */
  cs_u32 *listed;             /* ids of functions with pointers */
  unsigned count;
};

static int is_recursive(const struct function *f) {
  return f->type && f->is_called && !f->is_of_runtime;
}

/* --- Reading --- */

static void read_name(struct function *f, const char *name) {
  f->is_of_runtime = cs_rt_is_of_runtime(name);
  f->is_elsewhere = cs_ir_starts_with(name, CS_RT_ELSEWHERE);
  if (f->is_elsewhere)
    f->stands_for = name + strlen(CS_RT_ELSEWHERE);
  else if (cs_ir_starts_with(name, CS_RT_ADDRESS_OF))
    f->stands_for = name + strlen(CS_RT_ADDRESS_OF);
}

static void read_functions(struct module *m) {
  const cs_u32 *function = NULL, *end = m->words.from + m->words.count;
  for (const cs_u32 *i = m->words.from + HEADER_WORDS; i < end; i += cs_rt_length(i))
    switch (cs_rt_opcode(i)) {
    case OP_NAME:
      read_name(&m->functions[i[1]], (const char *)(i + 2));
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

/* The function that a stand-in stands for. */
static struct function *meant_by(struct module *m, const struct function *stand_in) {
  const cs_u32 *end = m->words.from + m->words.count;
  for (const cs_u32 *i = m->words.from + HEADER_WORDS; i < end; i += cs_rt_length(i))
    if (cs_rt_opcode(i) == OP_NAME && strcmp((const char *)(i + 2), stand_in->stands_for) == 0)
      return &m->functions[i[1]];
  return NULL;
}

/* Functions of one type share their types of pointers, as SPIR-V demands. */
static void list(struct module *m, struct function *f) {
  if (f->pointer_type)
    return;
  for (unsigned k = 0; k < m->count && !f->pointer_type; k++) {
    const struct function *other = &m->functions[m->listed[k]];
    if (other->type == f->type) {
      f->pointer_type = other->pointer_type;
      f->variable_type = other->variable_type;
    }
  }
  f->address = m->words.bound++;
  f->variable = m->words.bound++;
  if (!f->pointer_type) {
    f->pointer_type = m->words.bound++;
    f->variable_type = m->words.bound++;
  }
  cs_ir_push(m->listed, m->count, (cs_u32)(f - m->functions));
}

static void list_all(struct module *m) {
  for (cs_u32 id = 0; id < m->words.from[BOUND]; id++) {
    struct function *f = &m->functions[id], *meant = f->stands_for ? meant_by(m, f) : NULL;
    if (meant) {
      list(m, meant);
      meant->has_address |= !f->is_elsewhere;
    } else if (is_recursive(f)) {
      list(m, f);
    }
  }
}

/* --- Writing --- */

static void put_extension(struct module *m) {
  const cs_u32 capability[] = {2 << 16 | OP_CAPABILITY, FUNCTION_POINTERS};
  cs_rt_put_all(&m->words, capability, 2);
  cs_rt_put_text(&m->words, OP_EXTENSION, 0, "SPV_INTEL_function_pointers");
}

static unsigned count_recursive(const struct module *m) {
  unsigned count = 0;
  for (unsigned k = 0; k < m->count; k++)
    count += is_recursive(&m->functions[m->listed[k]]);
  return count;
}

/* An entry point lists the variables that its kernel may use. */
static void put_entry_point(struct module *m, const cs_u32 *i) {
  const cs_u32 head = *i + (count_recursive(m) << 16);
  cs_rt_put_all(&m->words, &head, 1);
  cs_rt_put_all(&m->words, i + 1, cs_rt_length(i) - 1);
  for (unsigned k = 0; k < m->count; k++)
    if (is_recursive(&m->functions[m->listed[k]]))
      cs_rt_put_all(&m->words, &m->functions[m->listed[k]].variable, 1);
}

static void put_pointers(struct module *m) {
  for (unsigned k = 0; k < m->count; k++) {
    const struct function *f = &m->functions[m->listed[k]];
    const cs_u32 types[] = {4 << 16 | OP_TYPE_POINTER, f->pointer_type,  CODE_SECTION,    f->type,
                            4 << 16 | OP_TYPE_POINTER, f->variable_type, CROSS_WORKGROUP, f->pointer_type};
    const cs_u32 address[] = {4 << 16 | OP_FUNCTION_POINTER, f->pointer_type, f->address, m->listed[k]};
    const cs_u32 variable[] = {5 << 16 | OP_VARIABLE, f->variable_type, f->variable, CROSS_WORKGROUP, f->address};
    if (f->pointer_type == f->variable + 1)
      cs_rt_put_all(&m->words, types, 8);
    if (is_recursive(f) || f->has_address)
      cs_rt_put_all(&m->words, address, 4);
    if (is_recursive(f))
      cs_rt_put_all(&m->words, variable, 5);
  }
}

static void put_recursive_call(struct module *m, const cs_u32 *i) {
  const struct function *f = &m->functions[i[3]];
  const cs_u32 loaded = m->words.bound++;
  const cs_u32 load[] = {6 << 16 | OP_LOAD, f->pointer_type, loaded, f->variable, VOLATILE_AND_ALIGNED, sizeof(cs_u64)};
  const cs_u32 call[] = {(cs_u32)cs_rt_length(i) << 16 | OP_POINTER_CALL, i[1], i[2], loaded};
  cs_rt_put_all(&m->words, load, 6);
  cs_rt_put_all(&m->words, call, 4);
  cs_rt_put_all(&m->words, i + 4, cs_rt_length(i) - 4);
}

static void put_call_elsewhere(struct module *m, const cs_u32 *i, const struct function *meant) {
  const cs_u32 pointer = m->words.bound++;
  const cs_u32 convert[] = {4 << 16 | OP_INTEGER_TO_POINTER, meant->pointer_type, pointer, i[4]};
  const cs_u32 call[] = {(cs_u32)(cs_rt_length(i) - 1) << 16 | OP_POINTER_CALL, i[1], i[2], pointer};
  cs_rt_put_all(&m->words, convert, 4);
  cs_rt_put_all(&m->words, call, 4);
  cs_rt_put_all(&m->words, i + 5, cs_rt_length(i) - 5);
}

static void put_address(struct module *m, const cs_u32 *i, const struct function *meant) {
  const cs_u32 convert[] = {4 << 16 | OP_POINTER_TO_INTEGER, i[1], i[2], meant->address};
  cs_rt_put_all(&m->words, convert, 4);
}

static void put_call(struct module *m, const cs_u32 *i) {
  const struct function *f = &m->functions[i[3]], *meant = f->stands_for ? meant_by(m, f) : NULL;
  if (meant && f->is_elsewhere)
    put_call_elsewhere(m, i, meant);
  else if (meant)
    put_address(m, i, meant);
  else if (is_recursive(f))
    put_recursive_call(m, i);
  else
    cs_rt_put_all(&m->words, i, cs_rt_length(i));
}

/* The stand-in that the instruction declares or describes, which is not in the module that is written; NULL if none. */
static int is_of_stand_in(const struct module *m, const cs_u32 *i) {
  switch (cs_rt_opcode(i)) {
  case OP_NAME:
  case OP_DECORATE:
    return m->functions[i[1]].stands_for != NULL;
  case OP_FUNCTION:
    return m->functions[i[2]].stands_for != NULL;
  default:
    return 0;
  }
}

static const cs_u32 *after_function(const cs_u32 *i) {
  while (cs_rt_opcode(i) != OP_FUNCTION_END)
    i += cs_rt_length(i);
  return i + cs_rt_length(i);
}

static void write_all(struct module *m) {
  const cs_u32 *end = m->words.from + m->words.count;
  int has_extension = 0, has_pointers = 0;
  for (const cs_u32 *i = m->words.from + HEADER_WORDS, *next; i < end; i = next) {
    cs_u32 op = cs_rt_opcode(i);
    next = i + cs_rt_length(i);
    if (op != OP_CAPABILITY && !has_extension++)
      put_extension(m);
    if (op == OP_FUNCTION && !has_pointers++)
      put_pointers(m);
    if (is_of_stand_in(m, i))
      next = op == OP_FUNCTION ? after_function(i) : next;
    else if (op == OP_ENTRY_POINT)
      put_entry_point(m, i);
    else if (op == OP_CALL)
      put_call(m, i);
    else
      cs_rt_put_all(&m->words, i, cs_rt_length(i));
  }
}

LLVMMemoryBufferRef cs_rt_write_pointer_calls(LLVMMemoryBufferRef spirv) {
  struct module m = {.count = 0};
  if (cs_rt_read_words(&m.words, spirv))
    return NULL;
  m.functions = cs_ir_allocate(m.words.bound, sizeof *m.functions);
  read_functions(&m);
  list_all(&m);
  if (m.count)
    write_all(&m);
  else
    cs_rt_put_all(&m.words, m.words.from + HEADER_WORDS, m.words.count - HEADER_WORDS);
  free(m.functions);
  free(m.listed);
  return cs_rt_written(&m.words);
}
