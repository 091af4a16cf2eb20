/* warp.c: warp operations, clusters, barriers and the end of threads in inline PTX. */
#include "cusafe/ir.h"
#include "ir/names.h"
#include "retarget/ptx/families.h"
#include <stdio.h>

static const struct cs_ptx_type b32 = {'b', 32, 1}, predicate = {'p', 1, 1};

/* Calls a function of the support library with the mask, and these arguments. Without .sync the operation has no mask
 * and covers the lanes that execute it together: all_function. */
static LLVMValueRef call_with_mask(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const char *function,
                                   unsigned at, LLVMValueRef *args, unsigned count) {
  char name[40];
  LLVMValueRef all[5] = {NULL};
  unsigned sync = cs_ptx_has(s, "sync") ? 1 : 0;
  if (sync && !(s->operand_count > at && (all[0] = cs_rt_asm_value(a, &s->operands[at], b32))))
    return NULL;
  for (unsigned i = 0; i < count; i++)
    if (!(all[sync + i] = args[i]))
      return NULL;
  snprintf(name, sizeof name, "%s%s", sync ? "" : "all_", function);
  return cs_rt_asm_call(a, name, all, sync + count);
}

/* The one of these modifiers that the opcode has: their order is not fixed. */
static const char *mode_of(const struct cs_ptx_instruction *s, const char *const *modes) {
  while (*modes && !cs_ptx_has(s, *modes))
    modes++;
  return *modes;
}

/* A result with a predicate: "d|p". */
static int give_pair(struct cs_rt_asm *a, const struct cs_ptx_operand *o, LLVMValueRef pair) {
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  unsigned count = cs_ptx_elements(o, 1, names);
  if (!pair || count < 1 || count > 2)
    return 0;
  LLVMValueRef first = LLVMBuildExtractValue(a->builder, pair, 0, "");
  LLVMValueRef second = LLVMBuildExtractValue(a->builder, pair, 1, "");
  second = LLVMBuildIntCast2(a->builder, second, cs_rt_asm_integer(a, 1), 0, "");
  return cs_rt_asm_assign(a, names[0], first) && (count == 1 || cs_rt_asm_assign(a, names[1], second));
}

int cs_rt_ptx_shfl(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  char name[32];
  if (!cs_ptx_knows(s, "sync up down bfly idx") || s->operand_count < 4)
    return 0;
  const char *mode = mode_of(s, (const char *const[]){"up", "down", "bfly", "idx", NULL});
  LLVMValueRef args[] = {cs_rt_asm_value(a, &s->operands[1], b32), cs_rt_asm_value(a, &s->operands[2], b32),
                         cs_rt_asm_value(a, &s->operands[3], b32)};
  snprintf(name, sizeof name, "shfl_%s_p", mode ? mode : "");
  return mode && give_pair(a, &s->operands[0], call_with_mask(a, s, name, 4, args, 3));
}

int cs_rt_ptx_vote(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  if (!cs_ptx_knows(s, "sync all any uni ballot") || s->operand_count < 2)
    return 0;
  LLVMValueRef argument = cs_rt_asm_value(a, &s->operands[1], predicate);
  const char *mode = mode_of(s, (const char *const[]){"all", "any", "uni", "ballot", NULL});
  LLVMValueRef made = mode ? call_with_mask(a, s, mode, 2, &argument, 1) : NULL;
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}

int cs_rt_ptx_match(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  char name[32];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "any all sync") || s->operand_count != 3)
    return 0;
  LLVMValueRef args[] = {cs_rt_asm_value(a, &s->operands[2], b32), cs_rt_asm_value(a, &s->operands[1], types[0])};
  int all = cs_ptx_has(s, "all");
  snprintf(name, sizeof name, "match_%s%s", all ? "all" : "any", types[0].bits == 64 ? "_64" : "");
  LLVMValueRef made = args[0] && args[1] ? cs_rt_asm_call(a, name, args, 2) : NULL;
  return made && (all ? give_pair(a, &s->operands[0], made) : cs_rt_asm_assign(a, &s->operands[0], made));
}

/* redux.sync.min.abs.NaN.f32: as unsigned keys in the order of the floats. A NaN is the key that no other one changes
 * (.NaN), or that changes no other one. */
static int redux_float(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  int is_min = cs_ptx_has(s, "min"), is_nan = cs_ptx_has(s, "NaN");
  if (!cs_ptx_knows(s, "sync min max abs NaN") || is_min == cs_ptx_has(s, "max") || s->operand_count != 3)
    return 0;
  LLVMTypeRef i32 = cs_rt_asm_integer(a, 32);
  LLVMValueRef value = cs_rt_asm_value(a, &s->operands[1], b32), mask = cs_rt_asm_value(a, &s->operands[2], b32);
  if (!value || !mask)
    return 0;
  LLVMValueRef given[] = {value, LLVMConstInt(i32, (unsigned)cs_ptx_has(s, "abs"), 0),
                          LLVMConstInt(i32, is_min == is_nan ? 0 : 0xffffffff, 0)};
  LLVMValueRef args[] = {cs_rt_asm_call(a, "float_key", given, 3), mask};
  LLVMValueRef key = cs_rt_asm_call(a, is_min ? "redux_umin" : "redux_umax", args, 2);
  return cs_rt_asm_assign(a, &s->operands[0], cs_rt_asm_call(a, "float_of_key", &key, 1));
}

int cs_rt_ptx_redux(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  char name[48];
  if (cs_ptx_types(s, types) == 1 && types[0].kind == 'f' && types[0].bits == 32 && types[0].lanes == 1)
    return redux_float(a, s);
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "sync add min max and or xor") || s->operand_count != 3 ||
      s->part_count != 4 || types[0].bits != 32 || types[0].kind == 'f')
    return 0;
  const char *op = s->parts[2];
  snprintf(name, sizeof name, "redux_%s%s", op[0] == 'm' && types[0].kind == 'u' ? "u" : "", op);
  LLVMValueRef args[] = {cs_rt_asm_value(a, &s->operands[1], b32), cs_rt_asm_value(a, &s->operands[2], b32)};
  LLVMValueRef made = args[0] && args[1] ? cs_rt_asm_call(a, name, args, 2) : NULL;
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}

/* "d|p" or "_|p": the elected lane, and whether it is this one. */
int cs_rt_ptx_elect(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  LLVMValueRef mask =
      cs_ptx_knows(s, "sync") && s->operand_count == 2 ? cs_rt_asm_value(a, &s->operands[1], b32) : NULL;
  return mask && give_pair(a, &s->operands[0], cs_rt_asm_call(a, "elect", &mask, 1));
}

/* --- Clusters: of one block each, whose rank is 0 --- */

int cs_rt_ptx_mapa(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  LLVMValueRef own = cs_ptx_types(s, types) == 1 && cs_ptx_knows(s, "shared::cluster") && s->operand_count == 3
                         ? cs_rt_asm_value(a, &s->operands[1], types[0])
                         : NULL;
  return own && cs_rt_asm_assign(a, &s->operands[0], own);
}

int cs_rt_ptx_getctarank(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  return cs_ptx_types(s, types) == 1 && cs_ptx_knows(s, "shared::cluster") && s->operand_count == 2 &&
         cs_rt_asm_assign(a, &s->operands[0], LLVMConstNull(cs_rt_asm_integer(a, 32)));
}

/* --- Barriers: as the intrinsics that lower-barriers expects --- */

static int reduce(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  char name[64];
  const char *op = cs_ptx_has(s, "popc") ? "popc" : cs_ptx_has(s, "and") ? "and" : cs_ptx_has(s, "or") ? "or" : NULL;
  if (!op || s->operand_count < 3 || s->operand_count > 4)
    return 0;
  LLVMValueRef args[3] = {cs_rt_asm_value(a, &s->operands[1], b32)};
  unsigned count = 1;
  if (s->operand_count == 4)
    args[count++] = cs_rt_asm_value(a, &s->operands[2], b32);
  args[count++] = cs_rt_asm_value(a, &s->operands[s->operand_count - 1], predicate);
  snprintf(name, sizeof name, "llvm.nvvm.barrier.cta.red.%s.aligned.%s", op, s->operand_count == 4 ? "count" : "all");
  for (unsigned i = 0; i < count; i++)
    if (!args[i])
      return 0;
  LLVMValueRef made = cs_rt_asm_intrinsic(a, name, args, count);
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}

/* A cluster is one block: its threads meet where they wait. */
static int barrier_of_cluster(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  LLVMValueRef first = LLVMConstNull(cs_rt_asm_integer(a, 32));
  if (!cs_ptx_knows(s, "cluster arrive wait release acquire relaxed aligned") || s->operand_count != 0)
    return 0;
  return cs_ptx_has(s, "arrive") || cs_rt_asm_intrinsic(a, "llvm.nvvm.barrier.cta.sync.aligned.all", &first, 1) != NULL;
}

int cs_rt_ptx_bar(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  LLVMValueRef args[2];
  if (cs_ptx_has(s, "cluster"))
    return barrier_of_cluster(a, s);
  if (!cs_ptx_knows(s, "cta sync red arrive warp aligned popc and or") || s->operand_count < 1)
    return 0;
  if (cs_ptx_has(s, "red"))
    return reduce(a, s);
  for (unsigned i = 0; i < s->operand_count && i < 2; i++)
    if (!(args[i] = cs_rt_asm_value(a, &s->operands[i], b32)))
      return 0;
  if (cs_ptx_has(s, "warp"))
    return s->operand_count == 1 && cs_rt_asm_call(a, "syncwarp", args, 1) != NULL;
  if (cs_ptx_has(s, "arrive"))
    return s->operand_count == 2 && cs_rt_asm_call(a, "barrier_arrive", args, 2) != NULL;
  if (s->operand_count == 2)
    return cs_rt_asm_call(a, "barrier_sync", args, 2) != NULL;
  return s->operand_count == 1 && cs_rt_asm_intrinsic(a, "llvm.nvvm.barrier.cta.sync.aligned.all", args, 1) != NULL;
}

/* --- Threads --- */

/* In functions of the runtime, which have recorded an error, the kernel continues; elsewhere the thread ends. */
int cs_rt_ptx_trap(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->call));
  int continues = cs_ir_starts_with(cs_ir_name(function), CS_IR_RUNTIME_PREFIX);
  return s->part_count == 1 && cs_rt_asm_call(a, continues ? "trap_and_go_on" : "trap", NULL, 0) != NULL;
}

int cs_rt_ptx_exit(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return s->part_count == 1 && cs_rt_asm_call(a, "exit", NULL, 0) != NULL;
}
