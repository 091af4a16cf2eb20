/* frames.c: divides the block of a function's local variables into the variables that the debug information lists.
 *
 * Only code of nvcc -G is divided. There every variable has its place for the whole function, and the compiler writes
 * its address as "add.u64 %rd1, %SP, 32": sums that the program computes start from that register, not from %SP. In
 * optimised code places are shared and sums are merged, so that an address may belong to another variable than the one
 * that it lies in. What the debug information does not list, such as temporaries, remains in the block. */
#include "lift/frames.h"
#include "ir/memory.h"
#include "lift/dwarf.h"
#include "lift/regions.h"
#include "lift/values.h"
#include <stdlib.h>
#include <string.h>

/* The variables of one block, as the debug information lists them. */
struct frame {
  const char *block;
  struct cs_lift_region *variables;
  unsigned count;
};

/* --- Debug information --- */

static struct frame *frame_of(struct cs_lift_unit *unit, const char *block) {
  struct frame *known = cs_ir_map_get_name(&unit->frames, block);
  if (!known) {
    known = cs_ptx_allocate(&unit->arena, sizeof *known);
    known->block = block;
    cs_ir_map_set_name(&unit->frames, block, known);
  }
  return known;
}

/* The front end's own variables are called __T1, __T2, ... */
static const char *given_name(const char *name) {
  int is_own = strncmp(name, "__T", 3) == 0 && name[3 + strspn(name + 3, "0123456789")] == '\0';
  return is_own ? "" : name;
}

static void add_variable(struct cs_lift_unit *unit, const struct cs_lift_dwarf *dwarf, const struct cs_lift_entry *e) {
  unsigned long long bytes = cs_lift_entry_bytes(dwarf, e);
  struct cs_lift_region made = {
      .start = e->location, .name = given_name(cs_lift_entry_name(dwarf, e)), .is_variable = 1};
  if (bytes == 0 || __builtin_add_overflow(made.start, bytes, &made.end))
    return; /* it remains in the block */
  struct frame *frame = frame_of(unit, e->symbol);
  frame->variables = cs_ptx_grow(&unit->arena, frame->variables, frame->count, sizeof made);
  frame->variables[frame->count++] = made;
}

/* Other compilers' frames have not been tried. */
static int is_trusted(const struct cs_lift_dwarf *dwarf) {
  static const char front_end[] = "lgenfe: EDG ";
  for (unsigned i = 0; i < dwarf->count; i = dwarf->entries[i].end)
    if (!dwarf->entries[i].producer || strncmp(dwarf->entries[i].producer, front_end, sizeof front_end - 1) != 0)
      return 0;
  return 1;
}

void cs_lift_read_frames(struct cs_lift_unit *unit) {
  if (!cs_lift_is_for_debugging(unit))
    return;
  struct cs_lift_dwarf dwarf = cs_lift_read_dwarf(unit->ptx, &unit->arena);
  for (unsigned i = 0, count = is_trusted(&dwarf) ? dwarf.count : 0; i < count; i++) {
    const struct cs_lift_entry *e = &dwarf.entries[i];
    if (e->symbol && (e->tag == CS_LIFT_TAG_VARIABLE || e->tag == CS_LIFT_TAG_PARAMETER))
      add_variable(unit, &dwarf, e);
  }
}

/* --- Regions --- */

static int by_start(const void *left, const void *right) {
  const struct cs_lift_region *a = left, *b = right;
  return a->start != b->start ? (a->start < b->start ? -1 : 1) : (a->end > b->end) - (a->end < b->end);
}

static void add_region(struct cs_lift_function *f, struct cs_lift_region made) {
  struct cs_lift_frame *frame = f->frame;
  if (made.start == made.end)
    return;
  frame->regions = cs_ptx_grow(&f->unit->arena, frame->regions, frame->count, sizeof made);
  frame->regions[frame->count++] = made;
}

/* Variables, and what is between them. Returns 0 if variables overlap, or leave the block. */
static int cover(struct cs_lift_function *f, struct frame *known, unsigned long long bytes) {
  unsigned long long covered = 0;
  qsort(known->variables, known->count, sizeof *known->variables, by_start);
  for (unsigned k = 0; k < known->count; k++) {
    const struct cs_lift_region *v = &known->variables[k];
    if (v->start < covered || v->end > bytes)
      return 0;
    add_region(f, (struct cs_lift_region){.start = covered, .end = v->start, .name = ""});
    add_region(f, *v);
    covered = v->end;
  }
  add_region(f, (struct cs_lift_region){.start = covered, .end = bytes, .name = ""});
  return 1;
}

/* --- Uses of the block and of its registers --- */

static int names(const struct cs_ptx_operand *o, const char *name) {
  if (!name)
    return 0;
  if (o->name && (o->kind == CS_PTX_NAME || o->kind == CS_PTX_APPLIED) && strcmp(o->name, name) == 0)
    return 1;
  for (unsigned k = 0; k < o->count; k++) // NOLINT(misc-no-recursion): as deep as the parser allows
    if (names(&o->items[k], name))
      return 1;
  return 0;
}

static int is_name(const struct cs_ptx_operand *o, const char *name) {
  return o->kind == CS_PTX_NAME && !o->negated && o->offset == 0 && strcmp(o->name, name) == 0;
}

/* "mov.u64 %SPL, __local_depot0;" and "cvta.local.u64 %SP, %SPL;" */
static int is_copy(const struct cs_ptx_instruction *i, const char *opcode, const char *from) {
  return from && !i->predicate && strcmp(i->opcode, opcode) == 0 && i->operand_count == 2 &&
         i->operands[0].kind == CS_PTX_NAME && is_name(&i->operands[1], from);
}

static int is_frame_add(const struct cs_lift_frame *frame, const struct cs_ptx_instruction *i) {
  return (strcmp(i->opcode, "add.u64") == 0 || strcmp(i->opcode, "add.s64") == 0) && i->operand_count == 3 &&
         is_name(&i->operands[1], frame->generic) && i->operands[2].kind == CS_PTX_INTEGER &&
         !names(&i->operands[0], frame->generic);
}

/* The first byte of a variable, or any outside of them: an address inside of one may be the end of another. */
static int is_certain_add(const struct cs_lift_frame *frame, const struct cs_ptx_instruction *i) {
  const struct cs_lift_region *r =
      is_frame_add(frame, i) ? cs_lift_region_at(frame, (long long)i->operands[2].value, 1) : NULL;
  return r && (!r->is_variable || r->start == i->operands[2].value);
}

/* "ld.u32 %r1, [%SP+8];" and "st.u32 [%SP+8], %r1;": all bytes are of one variable. */
static int is_certain_access(const struct cs_lift_frame *frame, const struct cs_ptx_instruction *i) {
  unsigned at = i->code == CS_PTX_OP_ld;
  struct cs_ptx_type types[2];
  if ((i->code != CS_PTX_OP_ld && i->code != CS_PTX_OP_st) || i->operand_count != 2 || cs_ptx_types(i, types) != 1 ||
      names(&i->operands[!at], frame->generic))
    return 0;
  const struct cs_ptx_operand *address = &i->operands[at], *value = &i->operands[!at];
  unsigned lanes = value->kind == CS_PTX_VECTOR ? value->count : 1;
  return address->kind == CS_PTX_ADDRESS && address->count == 1 && address->items[0].kind == CS_PTX_NAME &&
         cs_lift_region_at(frame, address->items[0].offset,
                           (unsigned long long)types[0].bits * types[0].lanes / 8 * lanes);
}

static int is_certain(const struct cs_lift_frame *frame, const struct cs_ptx_instruction *i, const char *block) {
  if (is_copy(i, "mov.u64", block) || is_copy(i, "cvta.local.u64", frame->local))
    return 1;
  for (unsigned k = 0; k < i->operand_count; k++) {
    if (names(&i->operands[k], block) || names(&i->operands[k], frame->local))
      return 0;
    if (names(&i->operands[k], frame->generic))
      return is_certain_add(frame, i) || is_certain_access(frame, i);
  }
  return 1;
}

/* The registers are written once, at the start. */
static int find_registers(const struct cs_lift_function *f, const char *block) {
  struct cs_lift_frame *frame = f->frame;
  for (unsigned k = 0; k < f->ptx->node_count; k++) {
    const struct cs_ptx_node *node = &f->ptx->nodes[k];
    if (node->kind != CS_PTX_INSTRUCTION)
      continue;
    const struct cs_ptx_instruction *i = &node->instruction;
    int is_local = is_copy(i, "mov.u64", block), is_generic = is_copy(i, "cvta.local.u64", frame->local);
    if ((is_local && frame->local) || (is_generic && frame->generic))
      return 0;
    if (is_local)
      frame->local = i->operands[0].name;
    if (is_generic)
      frame->generic = i->operands[0].name;
  }
  return frame->generic != NULL;
}

/* Scopes may declare the names again. */
static unsigned declarations_of(const struct cs_lift_function *f, const char *name) {
  unsigned count = 0;
  for (unsigned k = 0; k < f->ptx->node_count; k++)
    count += f->ptx->nodes[k].kind == CS_PTX_DECLARATION && strcmp(f->ptx->nodes[k].variable->name, name) == 0;
  return count;
}

static int are_uses_certain(const struct cs_lift_function *f, const char *block) {
  if (!find_registers(f, block) || declarations_of(f, f->frame->local) != 1 ||
      declarations_of(f, f->frame->generic) != 1 || declarations_of(f, block) != 1)
    return 0;
  for (unsigned k = 0; k < f->ptx->node_count; k++)
    if (f->ptx->nodes[k].kind == CS_PTX_INSTRUCTION && !is_certain(f->frame, &f->ptx->nodes[k].instruction, block))
      return 0;
  return 1;
}

/* --- Dividing --- */

/* The alignment that the place in the block has. */
static unsigned align_at(const struct cs_ptx_variable *block, unsigned long long start) {
  unsigned align = block->align ? block->align : 1;
  while (start % align)
    align /= 2;
  return align;
}

/* What is between variables may hold any objects, with the alignment that they have in the block. */
static void allocate(struct cs_lift_function *f, const struct cs_ptx_variable *block, struct cs_lift_region *r) {
  r->base = r->is_variable || !block->align ? r->start : r->start / block->align * block->align;
  r->memory = cs_lift_alloca(f, LLVMArrayType2(f->unit->i8, r->end - r->base), align_at(block, r->base));
  LLVMSetValueName2(r->memory, r->name, strlen(r->name));
}

void cs_lift_split_frame(struct cs_lift_function *f, const struct cs_ptx_variable *block) {
  struct frame *known = cs_ir_map_get_name(&f->unit->frames, block->name);
  int is_bytes = strcmp(block->type, ".b8") == 0 && block->dimension_count == 1 && block->lanes == 1;
  if (!known || !is_bytes || f->frame)
    return;
  f->frame = cs_ptx_allocate(&f->unit->arena, sizeof *f->frame);
  if (!cover(f, known, block->dimensions[0]) || !are_uses_certain(f, block->name)) {
    f->frame = NULL;
    return;
  }
  for (unsigned k = 0; k < f->frame->count; k++)
    allocate(f, block, &f->frame->regions[k]);
}

int cs_lift_frame_add(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  if (!f->frame || !is_frame_add(f->frame, i))
    return 0;
  LLVMValueRef address = cs_lift_address_in_frame(f, f->frame->generic, (long long)i->operands[2].value);
  cs_lift_assign(f, &i->operands[0], LLVMBuildPtrToInt(f->builder, address, f->unit->i64, ""), 0);
  return 1;
}
