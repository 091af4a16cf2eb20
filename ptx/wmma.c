/* wmma.c: the PTX of LLVM's intrinsics for wmma: clang compiles <mma.h> to them, and to no inline assembly. */
#include "ptx/wmma.h"
#include "ptx/inline.h"
#include "ptx/shape.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "llvm.nvvm.wmma."

struct writer {
  char *text;
  size_t length;
};

__attribute__((format(printf, 2, 3))) static void put(struct writer *w, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(w->text + w->length, CS_PTX_WMMA_TEXT - w->length, format, arguments);
  va_end(arguments);
  w->length += (size_t)length;
  if (w->length >= CS_PTX_WMMA_TEXT)
    w->length = CS_PTX_WMMA_TEXT - 1;
}

static void put_list(struct writer *w, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    put(w, "%s$%u", i ? "," : "{", first + i);
  put(w, "}");
}

static const char *layout_of(const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "row") ? "row" : "col";
}

/* wmma.SHAPE.load.a.row.stride.f16.p0 of (address, stride), wmma.SHAPE.store.d... of (address, registers, stride). */
static int put_access(struct writer *w, const struct cs_ptx_instruction *s, unsigned results, unsigned arguments) {
  int stores = strcmp(s->parts[2], "store") == 0, strides = cs_ptx_has(s, "stride");
  unsigned type = strides ? 6 : 5;
  if (type >= s->part_count)
    return 0;
  put(w, "wmma.%s.%s.sync.aligned.%s.%s%s.%s ", s->parts[2], s->parts[3], layout_of(s), s->parts[1],
      cs_ptx_has(s, "p3") ? ".shared" : "", s->parts[type]);
  if (stores) {
    put(w, "[$0], ");
    put_list(w, 1, arguments - 1 - (unsigned)strides);
  } else {
    put_list(w, 0, results);
    put(w, ", [$%u]", results);
  }
  if (strides)
    put(w, ", $%u", results + arguments - 1);
  put(w, ";");
  return 1;
}

/* Types of D, A, B and C. Products of f16 are identified by D and C, all others by A. */
static void put_types(struct writer *w, const struct cs_ptx_type *types, unsigned count, const char *first,
                      const char *second) {
  const char *sum = types[0].bits == 8 ? "s32" : types[0].bits == 64 ? "f64" : "f32";
  if (count == 2)
    put(w, ".%s.%s", first, second);
  else
    put(w, ".%s.%s.%s.%s", sum, first, first, sum);
}

/* wmma.SHAPE.mma.row.col.f32.f32 of (A, B, C). Fragments of f16 have eight registers in every shape. */
static int put_multiply(struct writer *w, const struct cs_ptx_instruction *s, unsigned results, unsigned arguments) {
  struct cs_ptx_type types[2];
  struct cs_ptx_shape shape;
  const char *names[2] = {NULL, NULL};
  unsigned count = 0;
  for (unsigned i = 5; i < s->part_count && count < 2; i++)
    if (cs_ptx_type(s->parts[i], &types[count]))
      names[count++] = s->parts[i];
  if (count == 0 || !cs_ptx_shape(s, &shape))
    return 0;
  unsigned a = count == 2 ? 8 : cs_ptx_factor_registers(shape.m, shape.k, types[0]);
  unsigned b = count == 2 ? 8 : cs_ptx_factor_registers(shape.n, shape.k, types[0]);
  if (a == 0 || b == 0 || a + b >= arguments)
    return 0;
  put(w, "wmma.mma.sync.aligned.%s.%s.%s", s->parts[3], s->parts[4], s->parts[1]);
  put_types(w, types, count, names[0], names[1]);
  put(w, "%s ", cs_ptx_has(s, "satfinite") ? ".satfinite" : "");
  put_list(w, 0, results);
  put(w, ", ");
  put_list(w, results, a);
  put(w, ", ");
  put_list(w, results + a, b);
  put(w, ", ");
  put_list(w, results + a + b, arguments - a - b);
  put(w, ";");
  return 1;
}

static int put_statement(struct writer *w, const struct cs_ptx_instruction *s, unsigned results, unsigned arguments) {
  if (s->part_count < 5)
    return 0;
  if (strcmp(s->parts[2], "mma") == 0)
    return put_multiply(w, s, results, arguments);
  return (strcmp(s->parts[2], "load") == 0 || strcmp(s->parts[2], "store") == 0) &&
         put_access(w, s, results, arguments);
}

/* The intrinsic's name is split like an opcode: "wmma", shape, operation, ... */
int cs_ptx_wmma_text(const char *name, unsigned results, unsigned arguments, char text[CS_PTX_WMMA_TEXT]) {
  struct writer w = {text, 0};
  struct cs_ptx_inline tree;
  if (strncmp(name, PREFIX, strlen(PREFIX)) != 0)
    return 0;
  cs_ptx_parse_inline(&tree, name + strlen("llvm.nvvm."));
  int known = !tree.unknown && tree.body.node_count == 1 && tree.body.nodes[0].kind == CS_PTX_INSTRUCTION &&
              put_statement(&w, &tree.body.nodes[0].instruction, results, arguments);
  cs_ptx_inline_free(&tree);
  return known;
}
