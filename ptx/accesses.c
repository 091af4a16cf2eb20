/* accesses.c: finds the memory accesses of inline PTX. It omits what it does not understand: an invented access would
 * be a false alarm, an omitted one is only unchecked. */
#include "ptx/accesses.h"
#include "ptx/shape.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SPACES "global shared shared::cta "
/* MAX_STRIDE: such a matrix fits the sink. */
enum { MAX_NAMES = 16, MAX_BYTES = 4096, MAX_STRIDE = 128 };

/* A register that holds a copy of an operand (or its address in shared memory, converted from a generic pointer), or a
 * predicate that is an operand compared with 0. */
struct name {
  const char *text;
  unsigned operand;
  enum { NAME_GONE, NAME_GENERIC, NAME_SHARED, NAME_SET, NAME_ZERO } meaning;
};

struct reader {
  struct cs_ptx_use *uses;
  cs_ptx_constant *constant;
  void *context;
  struct name names[MAX_NAMES];
  unsigned name_count;
};

/* The number of "$3"; -1 for any other name. */
static int operand_named(const char *text) {
  char *end = NULL;
  long number = text[0] == '$' && isdigit((unsigned char)text[1]) ? strtol(text + 1, &end, 10) : -1;
  return number >= 0 && *end == 0 && number < CS_PTX_MAX_OPERANDS ? (int)number : -1;
}

/* NULL for a number, a list, an address or an expression. */
static const char *name_of(const struct cs_ptx_operand *o) {
  return o->kind == CS_PTX_NAME && !o->negated && !o->has_offset ? o->name : NULL;
}

static int operand_of(const struct cs_ptx_operand *o) {
  const char *name = name_of(o);
  return name ? operand_named(name) : -1;
}

static struct name *find_name(struct reader *r, const char *text) {
  for (unsigned i = 0; text && i < r->name_count; i++)
    if (strcmp(r->names[i].text, text) == 0)
      return &r->names[i];
  return NULL;
}

/* A name that is assigned twice has no meaning: the reader does not track which assignment reaches a use. */
static void set_name(struct reader *r, const struct cs_ptx_instruction *s, unsigned operand, int meaning) {
  const char *text = name_of(&s->operands[0]);
  struct name *old = find_name(r, text);
  if (old)
    old->meaning = NAME_GONE;
  else if (text && r->name_count < MAX_NAMES) {
    struct name *made = &r->names[r->name_count++];
    made->text = text;
    made->operand = operand;
    made->meaning = s->predicate ? NAME_GONE : meaning;
  }
}

static int is(const struct cs_ptx_instruction *s, const char *opcode) {
  return strcmp(s->opcode, opcode) == 0;
}

/* Notes a statement that copies an operand to a register. Returns 0 for any other statement. */
static int note_copy(struct reader *r, const struct cs_ptx_instruction *s) {
  if (s->operand_count != 2)
    return 0;
  int operand = operand_of(&s->operands[1]);
  struct name *from = find_name(r, name_of(&s->operands[1]));
  int meaning = operand >= 0 ? NAME_GENERIC : from ? (int)from->meaning : NAME_GONE;
  if (operand < 0 && from)
    operand = (int)from->operand;
  if (operand < 0 || (meaning != NAME_GENERIC && meaning != NAME_SHARED))
    return 0;
  int moves = is(s, "mov.u64") || is(s, "mov.b64") || is(s, "mov.s64");
  if (is(s, "cvta.to.shared.u64") && meaning == NAME_GENERIC)
    meaning = NAME_SHARED;
  else if (!moves && !(is(s, "cvta.to.global.u64") && meaning == NAME_GENERIC) &&
           !(is(s, "cvt.u32.u64") && meaning == NAME_SHARED))
    return 0;
  set_name(r, s, (unsigned)operand, meaning);
  return 1;
}

/* Notes "setp.ne.b32 p, $1, 0". Returns 0 for any other statement. */
static int note_predicate(struct reader *r, const struct cs_ptx_instruction *s) {
  static const char *const types[] = {"b32", "u32", "s32"};
  int with_zero = s->operand_count == 3 && s->operands[2].kind == CS_PTX_INTEGER && s->operands[2].value == 0;
  int operand = with_zero ? operand_of(&s->operands[1]) : -1;
  if (operand < 0 || s->part_count != 3 || s->code != CS_PTX_OP_setp)
    return 0;
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (strcmp(s->parts[2], types[i]) == 0 && (cs_ptx_has(s, "ne") || cs_ptx_has(s, "eq"))) {
      set_name(r, s, (unsigned)operand, cs_ptx_has(s, "ne") ? NAME_SET : NAME_ZERO);
      return 1;
    }
  return 0;
}

/* --- Accesses --- */

static int is_empty(const struct cs_ptx_use *use) {
  return use->low == use->high && use->scale == 0;
}

static void widen(struct cs_ptx_use *use, const struct cs_ptx_use *by) {
  if (is_empty(use)) {
    int mentioned = use->mentioned;
    *use = *by;
    use->mentioned = mentioned;
    return;
  }
  if (use->shared != by->shared || use->scale || by->scale || use->lanes != by->lanes)
    use->unclear = 1;
  if (by->low < use->low) {
    use->low = by->low;
    use->align = by->align;
  }
  use->high = by->high > use->high ? by->high : use->high;
  use->access = by->access > use->access ? by->access : use->access;
}

/* An unconditional access replaces a conditional one. */
static void add_use(struct cs_ptx_use *use, const struct cs_ptx_use *by) {
  int same = use->guard == by->guard && use->negated == by->negated;
  if (is_empty(use) || same)
    widen(use, by);
  else if (use->guard != CS_PTX_ALWAYS && by->guard == CS_PTX_ALWAYS) {
    struct cs_ptx_use old = *use;
    *use = *by;
    use->mentioned = old.mentioned;
    use->unclear = old.unclear;
  } else if (use->guard != CS_PTX_ALWAYS)
    use->unclear = 1;
}

/* Stores the condition of the statement. Returns 0 if it is unknown. */
static int read_guard(struct reader *r, const struct cs_ptx_instruction *s, struct cs_ptx_use *by) {
  by->guard = CS_PTX_ALWAYS;
  if (!s->predicate)
    return 1;
  const struct name *name = find_name(r, s->predicate);
  if (!name || (name->meaning != NAME_SET && name->meaning != NAME_ZERO))
    return 0;
  by->guard = (int)name->operand;
  by->negated = (name->meaning == NAME_ZERO) != s->negated;
  return 1;
}

/* Adds an access at "[$1+16]", whose bytes are relative to that address so far. */
static void add_at(struct reader *r, const struct cs_ptx_instruction *s, const struct cs_ptx_operand *address,
                   struct cs_ptx_use by) {
  const struct cs_ptx_operand *base = cs_ptx_base(address);
  if (!base || base->kind != CS_PTX_NAME || base->offset < -MAX_BYTES || base->offset > MAX_BYTES ||
      !read_guard(r, s, &by))
    return;
  by.low += base->offset;
  by.high += base->offset;
  int operand = operand_named(base->name);
  const struct name *name = find_name(r, base->name);
  if (name && by.guard == CS_PTX_ALWAYS && name->meaning == (by.shared ? NAME_SHARED : NAME_GENERIC)) {
    operand = (int)name->operand;
    by.shared = 0; /* the operand itself is generic */
  }
  if (operand >= 0)
    add_use(&r->uses[operand], &by);
}

static int is_shared(const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "shared") || cs_ptx_has(s, "shared::cta");
}

static void add_access(struct reader *r, const struct cs_ptx_instruction *s, const struct cs_ptx_operand *address,
                       enum cs_access access, unsigned long long bytes, int shared) {
  if (bytes != 0 && bytes <= MAX_BYTES && (bytes & (bytes - 1)) == 0)
    add_at(r, s, address,
           (struct cs_ptx_use){.access = access,
                               .high = (long long)bytes,
                               .lanes = CS_PTX_LANES,
                               .align = bytes < 16 ? (unsigned)bytes : 16,
                               .shared = shared});
}

static unsigned lanes_of(const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "v8") ? 8 : cs_ptx_has(s, "v4") ? 4 : cs_ptx_has(s, "v2") ? 2 : 1;
}

static void read_access(struct reader *r, const struct cs_ptx_instruction *s, enum cs_access access, unsigned address) {
  struct cs_ptx_type types[2];
  if (s->operand_count > address && cs_ptx_types(s, types) == 1 &&
      cs_ptx_knows(s, SPACES CS_PTX_SCOPES CS_PTX_ORDERS CS_PTX_CACHES CS_PTX_OPERATIONS))
    add_access(r, s, &s->operands[address], access, types[0].bits * types[0].lanes * lanes_of(s) / 8, is_shared(s));
}

static int constant_of(struct reader *r, const struct cs_ptx_operand *o, cs_u64 *value) {
  int operand = operand_of(o);
  if (operand >= 0)
    return r->constant(r->context, (unsigned)operand, value);
  *value = o->value;
  return o->kind == CS_PTX_INTEGER;
}

/* cp.async [to], [from], written{, read}{, policy}: bytes that are not read become zeros. */
static void read_copy(struct reader *r, const struct cs_ptx_instruction *s) {
  cs_u64 written, read;
  unsigned count = s->operand_count - (cs_ptx_has(s, "L2::cache_hint") ? 1 : 0);
  if (!cs_ptx_knows(s, "async ca cg shared shared::cta global L2::cache_hint L2::64B L2::128B L2::256B") ||
      s->operand_count < 3 || count < 3 || count > 4 || !constant_of(r, &s->operands[2], &written))
    return;
  add_access(r, s, &s->operands[0], CS_ACCESS_WRITE, written, 1);
  if (count == 3 || (constant_of(r, &s->operands[3], &read) && read == written))
    add_access(r, s, &s->operands[1], CS_ACCESS_READ, written, 0);
  else if (operand_of(&s->operands[3]) >= 0)
    add_at(r, s, &s->operands[1],
           (struct cs_ptx_use){.access = CS_ACCESS_READ,
                               .scale = 1,
                               .by = (unsigned)operand_of(&s->operands[3]),
                               .lanes = CS_PTX_LANES,
                               .align = 1});
}

/* mbarrier.OPERATION {result,} [object]{, value}: eight bytes. pending_count has no object. */
static void read_mbarrier(struct reader *r, const struct cs_ptx_instruction *s) {
  int has_result = s->operand_count > 1 && s->operands[1].kind == CS_PTX_ADDRESS;
  int reads = cs_ptx_has(s, "test_wait") || cs_ptx_has(s, "try_wait");
  if (s->operand_count && !cs_ptx_has(s, "shared::cluster"))
    add_access(r, s, &s->operands[has_result], reads ? CS_ACCESS_READ : CS_ACCESS_ATOMIC, sizeof(cs_u64), is_shared(s));
}

/* The number of "[$3]"; -1 for any other operand. */
static int bracketed(const struct cs_ptx_operand *o) {
  const struct cs_ptx_operand *base = cs_ptx_base(o);
  return base ? operand_of(base) : -1;
}

/* cp.async.bulk [to], [from], bytes{, [object]}. An address in another block's shared memory has no origin that shows
 * its bounds. */
static void read_bulk(struct reader *r, const struct cs_ptx_instruction *s) {
  int by = s->operand_count >= 3 ? operand_of(&s->operands[2]) : -1;
  cs_u64 bytes = 0;
  if (s->part_count < 5 || s->operand_count < 3 || cs_ptx_has(s, "tensor") || cs_ptx_has(s, "prefetch") ||
      (by < 0 && !constant_of(r, &s->operands[2], &bytes)))
    return;
  for (unsigned i = 0; i < 2; i++) {
    enum cs_access access = i ? CS_ACCESS_READ : CS_ACCESS_WRITE;
    int shared = strcmp(s->parts[3 + i], "global") != 0;
    if (by < 0)
      add_access(r, s, &s->operands[i], access, bytes, shared);
    else
      add_at(r, s, &s->operands[i],
             (struct cs_ptx_use){.access = access,
                                 .scale = 1,
                                 .by = (unsigned)by,
                                 .completes = s->operand_count > 3 ? bracketed(&s->operands[3]) + 1 : 0,
                                 .lanes = CS_PTX_LANES,
                                 .align = 16,
                                 .shared = shared});
  }
  if (s->operand_count > 3)
    add_access(r, s, &s->operands[3], CS_ACCESS_ATOMIC, sizeof(cs_u64), 1);
}

/* --- Matrices --- */

/* ldmatrix and stmatrix: eight lanes have the addresses of a matrix's rows. */
static void read_rows(struct reader *r, const struct cs_ptx_instruction *s, enum cs_access access, unsigned address) {
  unsigned matrices = cs_ptx_has(s, "x4") ? 4 : cs_ptx_has(s, "x2") ? 2 : 1;
  if (s->operand_count == 2 && cs_ptx_knows(s, "sync aligned m8n8 x1 x2 x4 trans shared shared::cta"))
    add_at(
        r, s, &s->operands[address],
        (struct cs_ptx_use){.access = access, .high = 16, .lanes = 8 * matrices, .align = 16, .shared = is_shared(s)});
}

/* Rows and columns of a wmma instruction's matrix: A is m times k, B k times n, C and D m times n. */
static struct cs_ptx_shape memory_shape(const struct cs_ptx_instruction *s, struct cs_ptx_shape shape) {
  unsigned rows = cs_ptx_has(s, "b") ? shape.k : shape.m, columns = cs_ptx_has(s, "a") ? shape.k : shape.n;
  return (struct cs_ptx_shape){.m = rows, .n = columns};
}

/* wmma.load d, [from]{, stride} and wmma.store [to], d{, stride}: every lane passes the address of the whole matrix.
 * From its first element to its last there are stride elements for every row, or column, but the last. */
static void read_wmma(struct reader *r, const struct cs_ptx_instruction *s) {
  int stores = cs_ptx_has(s, "store");
  struct cs_ptx_type types[2];
  struct cs_ptx_shape shape;
  if ((!stores && !cs_ptx_has(s, "load")) || s->operand_count < 2 || s->operand_count > 3 ||
      cs_ptx_types(s, types) != 1 || !cs_ptx_shape(s, &shape))
    return;
  shape = memory_shape(s, shape);
  unsigned bytes = types[0].bits / 8, by_rows = (unsigned)cs_ptx_has(s, "row");
  unsigned lines = by_rows ? shape.m : shape.n, length = by_rows ? shape.n : shape.m;
  struct cs_ptx_use use = {.access = stores ? CS_ACCESS_WRITE : CS_ACCESS_READ,
                           .high = (long long)length * bytes,
                           .lanes = CS_PTX_LANES,
                           .align = bytes,
                           .shared = is_shared(s)};
  cs_u64 stride = length;
  if (s->operand_count == 2 || (constant_of(r, &s->operands[2], &stride) && stride <= MAX_STRIDE))
    use.high += (long long)((lines - 1) * stride * bytes);
  else if (operand_of(&s->operands[2]) >= 0)
    use.scale = (lines - 1) * bytes, use.by = (unsigned)operand_of(&s->operands[2]);
  add_at(r, s, &s->operands[stores ? 0 : 1], use);
}

/* The base of an address is not read as a value; coordinates are. */
static void note_values(struct reader *r, const struct cs_ptx_operand *o) {
  if (operand_of(o) >= 0)
    r->uses[operand_of(o)].mentioned = 1;
  for (unsigned k = o->kind == CS_PTX_ADDRESS; k < o->count; k++)
    note_values(r, &o->items[k]);
}

/* --- The rows of opcodes.inc --- */

static void read_load(struct reader *r, const struct cs_ptx_instruction *s) {
  read_access(r, s, CS_ACCESS_READ, 1);
}

static void read_store(struct reader *r, const struct cs_ptx_instruction *s) {
  read_access(r, s, CS_ACCESS_WRITE, 0);
}

static void read_atom(struct reader *r, const struct cs_ptx_instruction *s) {
  read_access(r, s, CS_ACCESS_ATOMIC, 1);
}

static void read_red(struct reader *r, const struct cs_ptx_instruction *s) {
  read_access(r, s, CS_ACCESS_ATOMIC, 0);
}

static void read_cp(struct reader *r, const struct cs_ptx_instruction *s) {
  if (cs_ptx_has(s, "mbarrier") && cs_ptx_has(s, "arrive"))
    read_mbarrier(r, s); /* cp.async.mbarrier.arrive [object] */
  else if (cs_ptx_has(s, "bulk"))
    read_bulk(r, s);
  else
    read_copy(r, s);
}

static void read_ldmatrix(struct reader *r, const struct cs_ptx_instruction *s) {
  read_rows(r, s, CS_ACCESS_READ, 1);
}

static void read_stmatrix(struct reader *r, const struct cs_ptx_instruction *s) {
  read_rows(r, s, CS_ACCESS_WRITE, 0);
}

/* No access: notes what the destination holds from here on. */
static void read_registers(struct reader *r, const struct cs_ptx_instruction *s) {
  if (s->operand_count && !note_copy(r, s) && !note_predicate(r, s) && find_name(r, name_of(&s->operands[0])))
    find_name(r, name_of(&s->operands[0]))->meaning = NAME_GONE;
}

static void (*const readers[])(struct reader *, const struct cs_ptx_instruction *) = {
    [CS_PTX_UNKNOWN] = read_registers,
#define CS_PTX_OPCODE(opcode, access, lift, cpu, traits) [CS_PTX_OP_##opcode] = read_##access,
#include "ptx/opcodes.inc"
};

static void read_statement(struct reader *r, const struct cs_ptx_instruction *s) {
  for (unsigned i = 0; i < s->operand_count; i++)
    note_values(r, &s->operands[i]);
  readers[s->code](r, s);
}

/* After a branch, code may be skipped or run twice. */
static int jumps(const struct cs_ptx_node *node) {
  return node->kind == CS_PTX_LABEL || node->kind == CS_PTX_TARGETS || node->kind == CS_PTX_PROTOTYPE ||
         (node->kind == CS_PTX_INSTRUCTION && cs_ptx_is(&node->instruction, CS_PTX_JUMPS));
}

static void forget(struct cs_ptx_use uses[CS_PTX_MAX_OPERANDS]) {
  memset(uses, 0, CS_PTX_MAX_OPERANDS * sizeof *uses);
}

void cs_ptx_read(const struct cs_ptx_inline *tree, struct cs_ptx_use uses[CS_PTX_MAX_OPERANDS],
                 cs_ptx_constant *constant, void *context) {
  struct reader r = {.uses = uses, .constant = constant, .context = context};
  forget(uses);
  for (unsigned i = 0; i < tree->body.node_count; i++) {
    const struct cs_ptx_node *node = &tree->body.nodes[i];
    if (jumps(node)) {
      forget(uses);
      return;
    }
    if (node->kind == CS_PTX_INSTRUCTION)
      read_statement(&r, &node->instruction);
  }
  if (tree->unknown)
    forget(uses);
}
