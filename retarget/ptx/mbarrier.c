/* mbarrier.c: barriers that are objects in shared memory, in inline PTX: each operation is a call of the support
 * library. */
#include "retarget/ptx/families.h"
#include <string.h>

#define WORDS                                                                                                          \
  "init inval arrive arrive_drop expect_tx complete_tx test_wait try_wait pending_count noComplete parity shared "     \
  "shared::cta shared::cluster " CS_PTX_SCOPES CS_PTX_ORDERS

static const struct cs_ptx_type b32 = {'b', 32, 1}, b64 = {'b', 64, 1};
static const struct cs_ptx_operand one = {.kind = CS_PTX_INTEGER, .value = 1};

/* A cluster is one block: shared::cluster is its own. */
static LLVMValueRef object(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, unsigned operand) {
  int shared = cs_ptx_has(s, "shared") || cs_ptx_has(s, "shared::cta") || cs_ptx_has(s, "shared::cluster");
  return s->operand_count > operand ? cs_rt_asm_address(a, &s->operands[operand], shared) : NULL;
}

/* function(object, value), with a result for operand 0 if the object is operand 1. `otherwise` replaces a value that is
 * absent. */
static int call(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const char *function, unsigned operand,
                struct cs_ptx_type type, const struct cs_ptx_operand *otherwise) {
  const struct cs_ptx_operand *given = s->operand_count > operand + 1 ? &s->operands[operand + 1] : otherwise;
  LLVMValueRef args[] = {object(a, s, operand), given ? cs_rt_asm_value(a, given, type) : NULL};
  LLVMValueRef made = args[0] && args[1] ? cs_rt_asm_call(a, function, args, 2) : NULL;
  return made && (!operand || cs_rt_asm_assign(a, &s->operands[0], made));
}

static int invalidate(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  LLVMValueRef at = object(a, s, 0);
  return at && cs_rt_asm_call(a, "mbarrier_inval", &at, 1);
}

static int arrive(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  if (cs_ptx_has(s, "expect_tx"))
    return !cs_ptx_has(s, "arrive_drop") && call(a, s, "mbarrier_arrive_expect", 1, b32, NULL);
  if (cs_ptx_has(s, "noComplete"))
    return call(a, s, cs_ptx_has(s, "arrive_drop") ? "mbarrier_drop_some" : "mbarrier_arrive_some", 1, b32, &one);
  return call(a, s, cs_ptx_has(s, "arrive_drop") ? "mbarrier_arrive_drop" : "mbarrier_arrive", 1, b32, &one);
}

static int wait(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "parity") ? call(a, s, "mbarrier_passed_parity", 1, b32, NULL)
                                 : call(a, s, "mbarrier_passed", 1, b64, NULL);
}

static int pending(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  LLVMValueRef state = s->operand_count == 2 ? cs_rt_asm_value(a, &s->operands[1], b64) : NULL;
  LLVMValueRef made = state ? cs_rt_asm_call(a, "mbarrier_pending", &state, 1) : NULL;
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}

int cs_rt_ptx_mbarrier(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  const char *operation = s->part_count > 1 ? s->parts[1] : "";
  if (!cs_ptx_knows(s, WORDS))
    return 0;
  if (strcmp(operation, "init") == 0)
    return call(a, s, "mbarrier_init", 0, b32, NULL);
  if (strcmp(operation, "inval") == 0)
    return invalidate(a, s);
  if (strncmp(operation, "arrive", strlen("arrive")) == 0)
    return arrive(a, s);
  if (strcmp(operation, "expect_tx") == 0)
    return call(a, s, "mbarrier_expect", 0, b32, NULL);
  if (strcmp(operation, "complete_tx") == 0)
    return call(a, s, "mbarrier_complete", 0, b32, NULL);
  if (strcmp(operation, "pending_count") == 0)
    return pending(a, s);
  return (strcmp(operation, "test_wait") == 0 || strcmp(operation, "try_wait") == 0) && wait(a, s);
}

/* cp.async.mbarrier.arrive: the copies before it are done. Without noinc the phase waits for one more arrival, and this
 * is it. */
int cs_rt_ptx_copies_arrive(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  if (!cs_ptx_knows(s, "async mbarrier arrive noinc shared shared::cta"))
    return 0;
  static const struct cs_ptx_operand no_bytes = {.kind = CS_PTX_INTEGER, .value = 0};
  return cs_ptx_has(s, "noinc") ? call(a, s, "mbarrier_arrive", 0, b32, &one)
                                : call(a, s, "mbarrier_expect", 0, b32, &no_bytes);
}
