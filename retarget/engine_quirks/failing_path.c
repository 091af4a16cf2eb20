/* failing_path.c: what failing checks call is one module, which all programs share.
 *
 * It is more code than most kernels, it is the same in every program, and most runs never execute it: with a copy in
 * each module, the engine spent two thirds of a small kernel's compile time on it. So cusafe-retarget --make-failing
 * translates the runtime alone, once for an installation, and images carry the result as a module of its own. The
 * driver compiles it before a kernel that may need it, or has it in its cache from another program, and stores the
 * functions' addresses in the image's table.
 *
 * In a kernel's module each of these functions only calls the other one. It stays a cold function that the engine does
 * not vectorise (cold.c): calls through pointers in the kernel itself took longer to compile, and broke lock step. */
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "ir/memory.h"
#include "report/print.h"
#include "retarget/bridge/bridge.h"
#include "retarget/engine_quirks/steps.h"
#include "retarget/lower/launch.h"
#include "retarget/lower/variables.h"
#include "retarget/unit/library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define CS_RT_FAILING(name) name,
#include "retarget/engine_quirks/failing.inc"
#undef CS_RT_FAILING
};
enum { COUNT = sizeof names / sizeof *names };
_Static_assert(COUNT == CS_IMAGE_FAILING, "failing.inc");

static LLVMValueRef defined(const struct cs_rt_unit *unit, unsigned index) {
  LLVMValueRef function = LLVMGetNamedFunction(unit->module, names[index]);
  return function && !LLVMIsDeclaration(function) ? function : NULL;
}

static void return_null(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMTypeRef result = LLVMGetReturnType(LLVMGlobalGetValueType(function));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(unit->context, function, "entry"));
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, LLVMConstNull(result));
  LLVMDisposeBuilder(builder);
}

/* Programs have only the first variables of their tables in common. */
static int has_shared_variables(const struct cs_rt_unit *unit) {
  return unit->variable_count >= CS_IMAGE_SHARED_VARIABLES && strcmp(unit->variables[0].name, CS_SYM_STATE) == 0 &&
         strcmp(unit->variables[1].name, CS_SYM_COUNTS) == 0;
}

/* Code for GPUs interprets what failing checks call. Tests run it on the CPU device for that. */
static int interprets(const struct cs_rt_unit *unit) {
  return LLVMGetNamedGlobal(unit->module, CS_IR_PROGRAM) != NULL;
}

int cs_rt_empty_failing_path(struct cs_rt_unit *unit) {
  unit->shares_failing = unit->failing && has_shared_variables(unit) && !interprets(unit);
  for (unsigned i = 0; unit->shares_failing && i < COUNT; i++) {
    LLVMValueRef function = defined(unit, i);
    if (!function)
      continue;
    cs_rt_bridge_empty(function);
    return_null(unit, function);
  }
  return 0;
}

/* --- The kernels' modules --- */

/* The parameters with the hidden ones are those of the function elsewhere. */
static void call_elsewhere(struct cs_rt_unit *unit, unsigned index, LLVMValueRef function) {
  LLVMContextRef context = unit->context;
  LLVMTypeRef type = LLVMGlobalGetValueType(function), result = LLVMGetReturnType(type);
  unsigned count = LLVMCountParams(function);
  LLVMTypeRef *types = cs_ir_allocate(count + 1, sizeof(LLVMTypeRef));
  LLVMValueRef *args = cs_ir_allocate(count + 1, sizeof(LLVMValueRef));
  char name[64];
  snprintf(name, sizeof name, CS_RT_ELSEWHERE "%s", names[index]);
  cs_rt_bridge_empty(function);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(context, function, "entry"));
  args[0] = cs_rt_load_from_table(unit, builder, function, unit->failing_slot + index);
  LLVMGetParams(function, args + 1);
  types[0] = LLVMTypeOf(args[0]);
  LLVMGetParamTypes(type, types + 1);
  LLVMTypeRef called_type = LLVMFunctionType(result, types, count + 1, 0);
  LLVMValueRef called = LLVMAddFunction(unit->module, name, called_type);
  LLVMValueRef value = LLVMBuildCall2(builder, called_type, called, args, count + 1, "");
  if (LLVMGetTypeKind(result) == LLVMVoidTypeKind)
    LLVMBuildRetVoid(builder);
  else
    LLVMBuildRet(builder, value);
  LLVMDisposeBuilder(builder);
  free(types);
  free(args);
  cs_rt_bridge_keep_scalar(function);
}

static void share(struct cs_rt_unit *unit) {
  unit->failing_slot = unit->address_count;
  unit->address_count += COUNT;
  for (unsigned i = 0; i < COUNT; i++)
    if (defined(unit, i))
      call_elsewhere(unit, i, defined(unit, i));
}

/* --- The shared module --- */

/* Its first kernel stores the addresses, as CS_KERNEL_GLOBALS does those of variables. */
static void store_addresses(struct cs_rt_unit *unit) {
  LLVMTypeRef number = LLVMInt64TypeInContext(unit->context), type = LLVMFunctionType(number, NULL, 0, 0);
  LLVMValueRef table = LLVMGetParam(unit->globals_kernel, 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(unit->globals_kernel)));
  for (unsigned i = 0; i < COUNT; i++) {
    char name[64];
    snprintf(name, sizeof name, CS_RT_ADDRESS_OF "%s", names[i]);
    LLVMValueRef at = LLVMConstInt(number, i, 0), function = LLVMAddFunction(unit->module, name, type);
    LLVMValueRef address = LLVMBuildCall2(builder, type, function, NULL, 0, "");
    LLVMBuildStore(builder, address, LLVMBuildInBoundsGEP2(builder, number, table, &at, 1, ""));
  }
  LLVMDisposeBuilder(builder);
}

static int make(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < COUNT; i++)
    if (!defined(unit, i)) {
      cs_report_print(stderr, "cusafe-retarget: the runtime does not define %s\n", names[i]);
      return -1;
    }
  if (unit->address_count != CS_IMAGE_SHARED_VARIABLES) {
    cs_report_print(stderr, "cusafe-retarget: failing checks use variables other than " CS_SYM_STATE
                            " and " CS_SYM_COUNTS "\n");
    return -1;
  }
  store_addresses(unit);
  return 0;
}

int cs_rt_share_failing_path(struct cs_rt_unit *unit) {
  if (unit->makes_failing)
    return make(unit);
  if (unit->shares_failing)
    share(unit);
  return 0;
}
