/* detect_sync.c: barriers that the threads of a warp do not reach together: a site for each barrier of the block, whose
 * number the barrier carries as metadata. The code does not change; the retargeter adds the checks where it cannot
 * prove that all threads arrive together (retarget/lower/sync.c). Only with --detect=sync. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/names.h"
#include "pass/function/detector.h"
#include "pass/module/build.h"
#include "pass/module/kernels.h"
#include <stdlib.h>
#include <string.h>

/* Lanes may wait at different calls of a barrier that is not aligned. */
static int is_aligned_barrier(LLVMValueRef i) {
  LLVMValueRef callee = LLVMIsACallInst(i) ? cs_ir_callee(i) : NULL;
  const char *name = callee ? cs_ir_name(callee) : "";
  size_t length = strlen(name);
  return cs_ir_starts_with(name, "llvm.nvvm.barrier.cta.") && strcmp(name + length - 4, ".all") == 0 &&
         strstr(name, ".aligned.");
}

static void add_site(struct cs_pass *pass, LLVMValueRef function, LLVMValueRef call) {
  struct cs_site site = {.access = CS_ACCESS_COUNT, .check = CS_CHECK_BARRIER, .align = 1};
  LLVMValueRef kernel = cs_pass_reaching_kernel(pass, function);
  LLVMValueRef number = cs_pass_constant(pass->i32, cs_pass_sites_add(&pass->sites, call, site, kernel, NULL));
  LLVMMetadataRef node = LLVMValueAsMetadata(number);
  node = LLVMMDNodeInContext2(pass->context, &node, 1);
  LLVMSetMetadata(call, LLVMGetMDKindIDInContext(pass->context, CS_IR_BARRIER, strlen(CS_IR_BARRIER)),
                  LLVMMetadataAsValue(pass->context, node));
}

/* In the order of their lines, as far as that is known: the barrier that comes first is the one that is reported. */
static int compare(const void *a, const void *b) {
  unsigned first = LLVMGetDebugLocLine(*(const LLVMValueRef *)a),
           second = LLVMGetDebugLocLine(*(const LLVMValueRef *)b);
  return (first > second) - (first < second);
}

static void add_sites(struct cs_pass *pass, LLVMValueRef function) {
  LLVMValueRef *barriers = NULL;
  size_t count = 0;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (is_aligned_barrier(i))
      cs_ir_push(barriers, count, i);
  if (count)
    qsort(barriers, count, sizeof *barriers, compare);
  for (size_t i = 0; i < count; i++)
    add_site(pass, function, barriers[i]);
  free(barriers);
}

/* Also in the forms of kernels that have no other checks. */
static void finish(struct cs_pass *pass) {
  if (!cs_pass_detects(pass->options, CS_PASS_DETECT_SYNC))
    return;
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      add_sites(pass, f);
}

const struct cs_pass_detector cs_pass_detect_sync = {.name = "sync", .finish = finish};
