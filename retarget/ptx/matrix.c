/* matrix.c: matrix instructions in inline PTX: mma, wmma, ldmatrix, stmatrix, movmatrix. A fragment is a list of
 * registers, in the layout that support/matrix.c states; the products of blocks of eight rows and columns are calls of
 * the support library. */
#include "ptx/shape.h"
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MULTIPLY_WORDS                                                                                                 \
  "mma sync aligned row col satfinite rn m8n8k4 m8n8k16 m16n8k4 m16n8k8 m16n8k16 m16n8k32 m16n16k8 m16n16k16 "         \
  "m32n8k16 m8n32k16 "
#define LOAD_WORDS "load store a b c d global shared shared::cta generic " MULTIPLY_WORDS
enum { MAX_SUMS = 16, MAX_WORDS = 10, MAX_TYPES = 4 }; /* MAX_WORDS: ROWS of support/matrix.c */

static const struct cs_ptx_type b32 = {'b', 32, 1};

/* An instruction's matrices, and the types of its operands. */
struct product {
  struct cs_ptx_shape shape;
  struct cs_ptx_type d, a, b, c;
};

/* Registers of a fragment. */
struct fragment {
  unsigned count;
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  LLVMValueRef values[CS_PTX_MAX_ELEMENTS];
};

/* --- Types --- */

static unsigned types_of(const struct cs_ptx_instruction *s, struct cs_ptx_type types[MAX_TYPES]) {
  unsigned count = 0;
  for (unsigned i = 1; i < s->part_count && count < MAX_TYPES; i++)
    count += (unsigned)cs_ptx_type(s->parts[i], &types[count]);
  return count;
}

static struct cs_ptx_type word_of(struct cs_ptx_type type) {
  return (struct cs_ptx_type){'b', cs_ptx_word_bits(type), 1};
}

/* The support library's name for the types of A and B; NULL if it has none. */
static const char *product_of(struct cs_ptx_type a, struct cs_ptx_type b) {
  if (a.bits == 8 && b.bits == 8 && strchr("su", a.kind) && strchr("su", b.kind))
    return a.kind == 's' ? (b.kind == 's' ? "ss" : "su") : (b.kind == 's' ? "us" : "uu");
  if (a.kind != b.kind || a.bits != b.bits || a.lanes != 1)
    return NULL;
  return a.kind == 'h'                   ? "f16"
         : a.kind == 'g'                 ? "bf16"
         : a.kind == 't'                 ? "tf32"
         : a.kind == 'f' && a.bits == 64 ? "f64"
                                         : NULL;
}
/* What the sums of such products are: f for f32 (or f16, rounded at the end), d for f64, s for s32. */
static char sum_kind(struct cs_ptx_type a) {
  return a.bits == 8 ? 's' : a.bits == 64 ? 'd' : 'f';
}
static int is_sum_type(struct cs_ptx_type type, char kind) {
  return kind == 'f'   ? type.kind == 'h' || (type.kind == 'f' && type.bits == 32)
         : kind == 'd' ? type.kind == 'f' && type.bits == 64
                       : type.kind == 's' && type.bits == 32;
}

/* --- Fragments --- */

static int read_fragment(struct cs_rt_asm *a, const struct cs_ptx_operand *o, struct cs_ptx_type word,
                         struct fragment *f) {
  f->count = cs_ptx_elements(o, 1, f->names);
  for (unsigned i = 0; i < f->count; i++)
    if (!(f->values[i] = cs_rt_asm_value(a, f->names[i], word)))
      return 0;
  return f->count > 0;
}

static LLVMValueRef number(struct cs_rt_asm *a, unsigned value) {
  return LLVMConstInt(cs_rt_asm_integer(a, 32), value, 0);
}

/* One of two halves of a register. */
static LLVMValueRef half_of(struct cs_rt_asm *a, LLVMValueRef word, unsigned high) {
  if (high)
    word = LLVMBuildLShr(a->builder, word, number(a, 16), "");
  return LLVMBuildTrunc(a->builder, word, cs_rt_asm_integer(a, 16), "");
}
static LLVMValueRef with_half(struct cs_rt_asm *a, LLVMValueRef word, LLVMValueRef half, unsigned high) {
  half = LLVMBuildZExt(a->builder, half, cs_rt_asm_integer(a, 32), "");
  return high ? LLVMBuildOr(a->builder, word, LLVMBuildShl(a->builder, half, number(a, 16), ""), "") : half;
}

/* Elements of an accumulator, two in a register of f16. */
static LLVMValueRef element_of(struct cs_rt_asm *a, const struct fragment *f, struct cs_ptx_type type, unsigned index) {
  return type.bits == 16 ? half_of(a, f->values[index / 2], index % 2) : f->values[index];
}
static int assign_elements(struct cs_rt_asm *a, const struct cs_ptx_operand *o, struct cs_ptx_type type,
                           LLVMValueRef *elements, unsigned count) {
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  if (cs_ptx_elements(o, 1, names) != count / (type.bits == 16 ? 2 : 1))
    return 0;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef value = elements[i];
    if (type.bits == 16 && i % 2 == 0)
      continue;
    if (type.bits == 16)
      value = with_half(a, with_half(a, NULL, elements[i - 1], 0), value, 1);
    if (!cs_rt_asm_assign(a, names[type.bits == 16 ? i / 2 : i], value))
      return 0;
  }
  return 1;
}

/* --- mma, wmma.mma --- */

/* f64: the sums of products of a pair of row blocks (the second is absent in matrices of eight rows) and one column
 * block. */
static int multiply_doubles_tile(struct cs_rt_asm *a, const struct product *p, const struct fragment *x,
                                 const struct fragment *y, unsigned row, unsigned column, LLVMValueRef tile[4]) {
  unsigned rows = p->shape.m / 8, columns = p->shape.n / 8;
  for (unsigned g = 0; g < cs_ptx_factor_registers(8, p->shape.k, p->a); g++) {
    LLVMValueRef first = x->values[g * rows + row];
    LLVMValueRef second = row + 1 < rows ? x->values[g * rows + row + 1] : LLVMConstNull(LLVMTypeOf(first));
    LLVMValueRef args[] = {first, second, y->values[g * columns + column], tile[0], tile[1], tile[2], tile[3]};
    LLVMValueRef made = cs_rt_asm_call(a, "tile_f64", args, 7);
    if (!made)
      return 0;
    for (unsigned i = 0; i < 4; i++)
      tile[i] = LLVMBuildExtractValue(a->builder, made, i, "");
  }
  return 1;
}

static int multiply_doubles(struct cs_rt_asm *a, const struct product *p, const struct fragment *x,
                            const struct fragment *y, LLVMValueRef out[MAX_SUMS]) {
  unsigned columns = p->shape.n / 8;
  LLVMValueRef zero = LLVMConstNull(LLVMDoubleTypeInContext(a->unit->context));
  for (unsigned row = 0; row < p->shape.m / 8; row += 2)
    for (unsigned column = 0; column < columns; column++) {
      LLVMValueRef tile[] = {zero, zero, zero, zero};
      if (!multiply_doubles_tile(a, p, x, y, row, column, tile))
        return 0;
      for (unsigned i = 0; i < 4 && row + i / 2 < p->shape.m / 8; i++)
        out[2 * ((row + i / 2) * columns + column) + i % 2] = tile[i];
    }
  return 1;
}

/* The lane's words of a factor, in rows of their own. */
static int put_words(struct cs_rt_asm *a, const struct fragment *f, unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef args[] = {number(a, first + i), f->values[i]};
    if (!cs_rt_asm_call(a, "put_word", args, 2))
      return 0;
  }
  return 1;
}

/* The two sums that a number holds. */
static void split_sums(struct cs_rt_asm *a, char kind, LLVMValueRef pair, LLVMValueRef out[2]) {
  LLVMTypeRef word = cs_rt_asm_integer(a, 32);
  LLVMValueRef high = LLVMBuildLShr(a->builder, pair, LLVMConstInt(LLVMTypeOf(pair), 32, 0), "");
  out[0] = LLVMBuildTrunc(a->builder, pair, word, "");
  out[1] = LLVMBuildTrunc(a->builder, high, word, "");
  for (unsigned i = 0; i < 2 && kind == 'f'; i++)
    out[i] = cs_rt_asm_float(a, out[i]);
}

/* Words go to memory once for the instruction; each block of eight rows and eight columns is a call. */
static int multiply(struct cs_rt_asm *a, const struct product *p, const struct fragment *x, const struct fragment *y,
                    LLVMValueRef out[MAX_SUMS]) {
  char name[16];
  unsigned rows = p->shape.m / 8, columns = p->shape.n / 8, groups = cs_ptx_factor_registers(8, p->shape.k, p->a);
  if (sum_kind(p->a) == 'd')
    return multiply_doubles(a, p, x, y, out);
  snprintf(name, sizeof name, "block_%s", product_of(p->a, p->b));
  if ((rows + columns) * groups > MAX_WORDS || !cs_rt_asm_call(a, "begin_products", NULL, 0) ||
      !put_words(a, x, 0, rows * groups) || !put_words(a, y, rows * groups, columns * groups) ||
      !cs_rt_asm_call(a, "end_words", NULL, 0))
    return 0;
  for (unsigned row = 0; row < rows; row++)
    for (unsigned column = 0; column < columns; column++) {
      LLVMValueRef args[] = {number(a, row), number(a, rows * groups + column), number(a, rows), number(a, columns),
                             number(a, groups)};
      LLVMValueRef made = cs_rt_asm_call(a, name, args, 5);
      if (!made)
        return 0;
      split_sums(a, sum_kind(p->a), made, &out[2 * (row * columns + column)]);
    }
  return 1;
}

/* c + sum, as the type of D. */
static LLVMValueRef accumulate(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const struct product *p,
                               LLVMValueRef c, LLVMValueRef sum) {
  LLVMValueRef args[] = {c, sum};
  if (sum_kind(p->a) == 's')
    return cs_ptx_has(s, "satfinite") ? cs_rt_asm_call(a, "sadd_sat_32", args, 2)
                                      : LLVMBuildAdd(a->builder, c, sum, "");
  if (p->c.bits == 16 && !(c = cs_rt_asm_call(a, "h_to_f32", &c, 1)))
    return NULL;
  LLVMValueRef made = LLVMBuildFAdd(a->builder, cs_rt_asm_float(a, c), sum, "");
  return p->d.bits == 16 ? cs_rt_asm_call(a, "h_from_f32_rn", &made, 1) : cs_rt_asm_bits(a, made);
}

/* Fragments of wmma may have more registers than elements: the first hold all of the matrix. */
static int holds(const struct fragment *f, unsigned needed, int exactly) {
  return exactly ? f->count == needed : f->count >= needed;
}

static int is_supported(const struct cs_ptx_instruction *s, const struct product *p) {
  char kind = sum_kind(p->a);
  return product_of(p->a, p->b) && is_sum_type(p->c, kind) && is_sum_type(p->d, kind) &&
         cs_ptx_factor_registers(8, p->shape.k, p->a) > 0 && cs_ptx_sum_elements(&p->shape) <= MAX_SUMS &&
         cs_ptx_knows(s, MULTIPLY_WORDS) && cs_ptx_has(s, "sync") && (kind == 's' || !cs_ptx_has(s, "satfinite"));
}

static int multiply_and_add(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const struct product *p) {
  struct fragment x, y, c;
  LLVMValueRef made[MAX_SUMS];
  int exactly = strcmp(s->parts[0], "mma") == 0;
  if (s->operand_count != 4 || !is_supported(s, p) || !read_fragment(a, &s->operands[1], word_of(p->a), &x) ||
      !read_fragment(a, &s->operands[2], word_of(p->b), &y) || !read_fragment(a, &s->operands[3], word_of(p->c), &c) ||
      !holds(&x, cs_ptx_factor_registers(p->shape.m, p->shape.k, p->a), exactly) ||
      !holds(&y, cs_ptx_factor_registers(p->shape.n, p->shape.k, p->b), exactly) ||
      c.count != cs_ptx_sum_registers(&p->shape, p->c) || !multiply(a, p, &x, &y, made))
    return 0;
  for (unsigned i = 0; i < cs_ptx_sum_elements(&p->shape); i++)
    if (!(made[i] = accumulate(a, s, p, element_of(a, &c, p->c, i), made[i])))
      return 0;
  return assign_elements(a, &s->operands[0], p->d, made, cs_ptx_sum_elements(&p->shape));
}

/* mma.sync.aligned.m16n8k16.row.col.D.A.B.C d, a, b, c */
int cs_rt_ptx_mma(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct product p = {0};
  struct cs_ptx_type types[MAX_TYPES];
  if (!cs_ptx_shape(s, &p.shape) || types_of(s, types) != 4 || !cs_ptx_has(s, "row") || !cs_ptx_has(s, "col"))
    return 0;
  p.d = types[0], p.a = types[1], p.b = types[2], p.c = types[3];
  return multiply_and_add(a, s, &p);
}

/* wmma.mma.sync.aligned.row.col.m16n16k16.D.C for f16, else .D.A.B.C. The layouts have had their effect in
 * wmma.load. */
static int wmma_multiply(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct product *p) {
  struct cs_ptx_type types[MAX_TYPES];
  unsigned count = types_of(s, types);
  if (count != 2 && count != 4)
    return 0;
  p->d = types[0], p->c = types[count - 1];
  p->a = count == 4 ? types[1] : (struct cs_ptx_type){'h', 16, 1};
  p->b = count == 4 ? types[2] : p->a;
  return multiply_and_add(a, s, p);
}

/* --- wmma.load, wmma.store --- */

/* The matrix in memory: its address, the distance of rows or columns, and how they are ordered. */
struct memory {
  LLVMValueRef at, pitch;
  int by_rows;
};

/* Without an operand, rows or columns follow each other. */
static int read_memory(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, unsigned address, unsigned stride,
                       unsigned rows, unsigned columns, struct memory *m) {
  m->by_rows = cs_ptx_has(s, "row");
  m->at = cs_rt_asm_address(a, &s->operands[address], cs_ptx_has(s, "shared") || cs_ptx_has(s, "shared::cta"));
  m->pitch = s->operand_count > stride ? cs_rt_asm_value(a, &s->operands[stride], b32)
                                       : number(a, m->by_rows ? columns : rows);
  return m->at && m->pitch && m->by_rows != cs_ptx_has(s, "col");
}

static LLVMValueRef flag(struct cs_rt_asm *a, int value) {
  return LLVMConstInt(cs_rt_asm_integer(a, 1), (unsigned long long)value, 0);
}

/* A or B; registers past the last word repeat the first ones. */
static int load_factor(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const struct product *p, int is_a) {
  struct memory m;
  char name[32];
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  unsigned blocks = (is_a ? p->shape.m : p->shape.n) / 8;
  unsigned needed = cs_ptx_factor_registers(blocks * 8, p->shape.k, p->a);
  unsigned count = cs_ptx_elements(&s->operands[0], 1, names);
  if (!product_of(p->a, p->a) || needed == 0 || count < needed ||
      !read_memory(a, s, 1, 2, is_a ? p->shape.m : p->shape.k, is_a ? p->shape.k : p->shape.n, &m))
    return 0;
  snprintf(name, sizeof name, "wmma_load_%u", p->a.bits);
  LLVMValueRef words[CS_PTX_MAX_ELEMENTS];
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef args[] = {m.at, m.pitch, number(a, i % blocks), number(a, i / blocks), flag(a, is_a == m.by_rows)};
    words[i] = i < needed ? cs_rt_asm_call(a, name, args, 5) : words[i - needed];
    if (!words[i] || !cs_rt_asm_assign(a, names[i], words[i]))
      return 0;
  }
  return 1;
}

/* The arguments of the support library for one element of an accumulator. */
static void sum_arguments(struct cs_rt_asm *a, const struct product *p, const struct memory *m, unsigned index,
                          LLVMValueRef args[7]) {
  unsigned columns = p->shape.n / 8, block = index / 2;
  LLVMValueRef made[] = {m->at,
                         m->pitch,
                         number(a, block / columns),
                         number(a, block % columns),
                         number(a, index % 2),
                         flag(a, m->by_rows)};
  memcpy(args, made, sizeof made);
}
static int load_sums(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const struct product *p) {
  struct memory m;
  char name[32];
  LLVMValueRef made[MAX_SUMS], args[7];
  if (!read_memory(a, s, 1, 2, p->shape.m, p->shape.n, &m) || cs_ptx_sum_elements(&p->shape) > MAX_SUMS)
    return 0;
  snprintf(name, sizeof name, "wmma_load_sum_%u", p->a.bits);
  for (unsigned i = 0; i < cs_ptx_sum_elements(&p->shape); i++) {
    sum_arguments(a, p, &m, i, args);
    if (!(made[i] = cs_rt_asm_call(a, name, args, 6)))
      return 0;
  }
  return assign_elements(a, &s->operands[0], p->a, made, cs_ptx_sum_elements(&p->shape));
}
static int store_sums(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const struct product *p) {
  struct memory m;
  struct fragment f;
  char name[32];
  LLVMValueRef args[7];
  if (!read_memory(a, s, 0, 2, p->shape.m, p->shape.n, &m) || !read_fragment(a, &s->operands[1], word_of(p->a), &f) ||
      f.count != cs_ptx_sum_registers(&p->shape, p->a))
    return 0;
  snprintf(name, sizeof name, "wmma_store_sum_%u", p->a.bits);
  for (unsigned i = 0; i < cs_ptx_sum_elements(&p->shape); i++) {
    sum_arguments(a, p, &m, i, args);
    args[6] = element_of(a, &f, p->a, i);
    if (!cs_rt_asm_call(a, name, args, 7))
      return 0;
  }
  return 1;
}

int cs_rt_ptx_wmma(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct product p = {0};
  struct cs_ptx_type types[MAX_TYPES];
  if (!cs_ptx_shape(s, &p.shape))
    return 0;
  if (cs_ptx_has(s, "mma"))
    return wmma_multiply(a, s, &p);
  if (!cs_ptx_knows(s, LOAD_WORDS) || types_of(s, types) != 1 || s->operand_count < 2 || s->operand_count > 3)
    return 0;
  p.a = types[0];
  if (cs_ptx_has(s, "store"))
    return cs_ptx_has(s, "d") && store_sums(a, s, &p);
  if (!cs_ptx_has(s, "load"))
    return 0;
  return cs_ptx_has(s, "c") ? load_sums(a, s, &p) : load_factor(a, s, &p, cs_ptx_has(s, "a"));
}

/* --- ldmatrix, stmatrix, movmatrix: matrices of 8 times 8 elements of 16 bits, one register for each --- */

#define MATRIX_WORDS "sync aligned m8n8 x1 x2 x4 trans shared shared::cta "

static unsigned matrices(const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "x4") ? 4 : cs_ptx_has(s, "x2") ? 2 : cs_ptx_has(s, "x1") ? 1 : 0;
}
static int is_matrix_of_halves(const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  return cs_ptx_knows(s, MATRIX_WORDS) && cs_ptx_has(s, "m8n8") && cs_ptx_types(s, types) == 1 && types[0].bits == 16;
}
/* Addresses without a state space are generic. */
static LLVMValueRef row_address(struct cs_rt_asm *a, const struct cs_ptx_instruction *s,
                                const struct cs_ptx_operand *o) {
  return cs_rt_asm_address(a, o, cs_ptx_has(s, "shared") || cs_ptx_has(s, "shared::cta"));
}

int cs_rt_ptx_ldmatrix(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  LLVMValueRef made[4],
      at = s->operand_count == 2 && is_matrix_of_halves(s) ? row_address(a, s, &s->operands[1]) : NULL;
  unsigned count = at ? cs_ptx_elements(&s->operands[0], 1, names) : 0;
  if (!count || count != matrices(s))
    return 0;
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef args[] = {at, number(a, i)};
    if (!(made[i] = cs_rt_asm_call(a, cs_ptx_has(s, "trans") ? "ldmatrix_trans" : "ldmatrix", args, 2)))
      return 0;
  }
  for (unsigned i = 0; i < count; i++)
    if (!cs_rt_asm_assign(a, names[i], made[i]))
      return 0;
  return 1;
}

int cs_rt_ptx_stmatrix(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct fragment f;
  LLVMValueRef at = s->operand_count == 2 && is_matrix_of_halves(s) ? row_address(a, s, &s->operands[0]) : NULL;
  if (!at || !read_fragment(a, &s->operands[1], b32, &f) || f.count != matrices(s))
    return 0;
  for (unsigned i = 0; i < f.count; i++) {
    LLVMValueRef args[] = {at, number(a, i), f.values[i]};
    if (!cs_rt_asm_call(a, cs_ptx_has(s, "trans") ? "stmatrix_trans" : "stmatrix", args, 3))
      return 0;
  }
  return 1;
}
