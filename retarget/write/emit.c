/* emit.c: translates the kernels to SPIR-V modules, with LLVM's back end. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "report/print.h"
#include "retarget/bridge/bridge.h"
#include "retarget/engine_quirks/recursion.h"
#include "retarget/lower/stops.h"
#include "retarget/unit/instructions.h"
#include "retarget/write/lines.h"
#include "retarget/write/pointer_calls.h"
#include "retarget/write/steps.h"
#include <errno.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Support.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char triple[] = "spirv64v1.4-unknown-unknown";

static LLVMTargetMachineRef spirv_machine(void) {
  LLVMTargetRef target;
  char *message = NULL;
  if (LLVMGetTargetFromTriple(triple, &target, &message)) {
    cs_report_print(stderr, "cusafe-retarget: this LLVM has no SPIR-V target: %s\n", message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  /* Without optimisation: loop strength reduction introduces i2, which the back end gets wrong. */
  return LLVMCreateTargetMachine(target, triple, "", "", LLVMCodeGenLevelNone, LLVMRelocDefault, LLVMCodeModelDefault);
}

static void annotate(struct cs_rt_unit *unit, LLVMValueRef function, const char *name, LLVMValueRef *values,
                     unsigned count) {
  LLVMMetadataRef parts[2];
  for (unsigned i = 0; i < count; i++)
    parts[i] = LLVMValueAsMetadata(values[i]);
  LLVMGlobalSetMetadata(function, LLVMGetMDKindIDInContext(unit->context, name, (unsigned)strlen(name)),
                        LLVMMDNodeInContext2(unit->context, parts, count));
}

/* Warps are sub-groups of 32 lanes. The engine runs a kernel with a vec_type_hint thread by thread. */
static void choose_execution(struct cs_rt_unit *unit, const struct cs_rt_kernel *kernel, LLVMModuleRef module) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(unit->context);
  LLVMValueRef lanes = LLVMConstInt(i32, 32, 0);
  LLVMValueRef vector[] = {LLVMGetUndef(LLVMVectorType(i32, 16)), LLVMConstInt(i32, 1, 0)};
  LLVMValueRef function = LLVMGetNamedFunction(module, kernel->name);
  if (kernel->uses_warp)
    annotate(unit, function, "intel_reqd_sub_group_size", &lanes, 1);
  else if (kernel->spins)
    annotate(unit, function, "vec_type_hint", vector, 2);
}

/* For developers: appends each module to a file. */
static void dump(LLVMModuleRef module) {
  const char *path = getenv("CUSAFE_RETARGET_DUMP");
  FILE *file = path ? fopen(path, "a") : NULL;
  char *text = file ? LLVMPrintModuleToString(module) : NULL;
  if (path && (!file || fputs(text, file) < 0 || fclose(file) != 0))
    cs_report_print(stderr, "cusafe-retarget: cannot write %s: %s\n", path, strerror(errno));
  if (text)
    LLVMDisposeMessage(text);
}

/* Extensions for clocks (the support library), breakpoints, and llvm.expect. */
static void allow_extensions(void) {
  static int allowed;
  const char *const options[] = {"cusafe-retarget",
                                 "--spirv-ext=+SPV_KHR_shader_clock,+SPV_INTEL_inline_assembly,+SPV_KHR_expect_assume"};
  if (!allowed)
    LLVMParseCommandLineOptions(2, options, NULL);
  allowed = 1;
}

/* Kernels that share a SPIR-V module. */
struct group {
  const struct cs_rt_kernel *kernels; /* NULL: CS_KERNEL_GLOBALS alone */
  unsigned count;
  LLVMValueRef *functions; /* of the kernels */
};

static LLVMModuleRef module_of(struct cs_rt_unit *unit, const struct group *group, LLVMTargetMachineRef machine) {
  char *message = NULL;
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine);
  char *layout_text = LLVMCopyStringRepOfTargetData(layout);
  LLVMModuleRef module = cs_rt_bridge_to_spirv(group->functions, group->count, triple, layout_text);
  LLVMDisposeMessage(layout_text);
  LLVMDisposeTargetData(layout);
  cs_rt_separate_results(module);
  for (unsigned i = 0; group->kernels && i < group->count; i++)
    choose_execution(unit, &group->kernels[i], module);
  dump(module);
  int failed = LLVMVerifyModule(module, LLVMReturnStatusAction, &message);
  if (failed)
    cs_report_print(stderr, "cusafe-retarget: internal error: %s\n", message);
  LLVMDisposeMessage(message);
  return failed ? NULL : module;
}

static LLVMMemoryBufferRef emit(struct cs_rt_unit *unit, const struct group *group) {
  LLVMTargetMachineRef machine = spirv_machine();
  LLVMModuleRef module = machine ? module_of(unit, group, machine) : NULL;
  LLVMMemoryBufferRef made = NULL;
  char *message = NULL;
  if (module && LLVMTargetMachineEmitToMemoryBuffer(machine, module, LLVMObjectFile, &message, &made)) {
    cs_report_print(stderr, "cusafe-retarget: the SPIR-V back end failed: %s\n", message);
    LLVMDisposeMessage(message);
    return NULL;
  }
  made = made ? cs_rt_write_pointer_calls(made) : NULL;
  return made && unit->debug ? cs_rt_write_lines(made, &unit->lines) : made;
}

/* --- A process for each module ---
 *
 * The back end maps basic blocks by their addresses in a variable of the process: in a second module, with other blocks
 * at the same addresses, it gave two of them one id. */

static void emit_to(int to, struct cs_rt_unit *unit, const struct group *group) {
  LLVMMemoryBufferRef made = emit(unit, group);
  size_t bytes = made ? LLVMGetBufferSize(made) : 0;
  const char *from = made ? LLVMGetBufferStart(made) : NULL;
  for (ssize_t wrote; bytes; bytes -= (size_t)wrote, from += wrote)
    if ((wrote = write(to, from, bytes)) <= 0)
      _exit(1);
  _exit(made ? 0 : 1);
}

static LLVMMemoryBufferRef read_all(int from) {
  char *text = NULL;
  size_t used = 0, room = 0;
  for (ssize_t got = 1; got > 0; used += got > 0 ? (size_t)got : 0) {
    if (room - used < 65536)
      text = cs_ir_resized(text, room = 2 * room + 65536);
    got = read(from, text + used, room - used);
  }
  LLVMMemoryBufferRef made = LLVMCreateMemoryBufferWithMemoryRangeCopy(text, used, "spirv");
  free(text);
  return made;
}

static LLVMMemoryBufferRef emit_apart(struct cs_rt_unit *unit, const struct group *group) {
  int ends[2], status = -1;
  pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child == 0)
    emit_to(ends[1], unit, group);
  if (child < 0) {
    cs_report_print(stderr, "cusafe-retarget: cannot start a process: %s\n", strerror(errno));
    return NULL;
  }
  close(ends[1]);
  LLVMMemoryBufferRef made = read_all(ends[0]);
  close(ends[0]);
  if (waitpid(child, &status, 0) == child && status == 0)
    return made;
  if (WIFSIGNALED(status))
    cs_report_print(stderr, "cusafe-retarget: the SPIR-V back end was stopped by signal %d\n", WTERMSIG(status));
  LLVMDisposeMemoryBuffer(made);
  return NULL;
}

/* --- Groups --- */

/* Instructions. The engine compiles a whole module when one of its kernels is first launched, and its time grows faster
 * than the size. Checked kernels that are small share a module, because all need the same cold functions, and each
 * module has its own copy. */
enum { MAX_GROUP_SIZE = 1000 };

static unsigned size_of(LLVMValueRef function) {
  unsigned count = 0;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    count++;
  return count;
}

/* A kernel that calls no function of the module shares nothing: it is alone. */
static int calls_functions(LLVMValueRef kernel) {
  for (LLVMValueRef i = cs_ir_first(kernel); i; i = cs_ir_next(i))
    if (cs_ir_callee(i) && !LLVMIsDeclaration(cs_ir_callee(i)))
      return 1;
  return 0;
}

/* The fast forms of kernels are apart from the exact ones, most of which never run. For a debugger, the engine compiles
 * kernels with and without warp operations in different ways. */
static int are_compiled_alike(const struct cs_rt_unit *unit, unsigned one, unsigned other) {
  const struct cs_rt_kernel *a = &unit->kernels[one], *b = &unit->kernels[other];
  return a->is_fast == b->is_fast && (!unit->debug || a->uses_warp == b->uses_warp);
}

static unsigned group_from(const struct cs_rt_unit *unit, unsigned first) {
  unsigned last = first, size = 0;
  while (last < unit->kernel_count && are_compiled_alike(unit, first, last) &&
         calls_functions(unit->kernels[last].function) &&
         (size += size_of(unit->kernels[last].function)) <= MAX_GROUP_SIZE)
    last++;
  return last > first ? last - first : 1;
}

/* The first kernel of a group holds the module. */
static int emit_groups(struct cs_rt_unit *unit) {
  LLVMValueRef *functions = cs_ir_allocate((size_t)unit->kernel_count + 1, sizeof *functions);
  int failed = 0;
  for (unsigned first = 0, count; first < unit->kernel_count && !failed; first += count) {
    count = group_from(unit, first);
    struct group group = {&unit->kernels[first], count, functions};
    for (unsigned i = 0; i < count; i++)
      functions[i] = unit->kernels[first + i].function;
    unit->kernels[first].spirv = emit_apart(unit, &group);
    failed = !unit->kernels[first].spirv;
  }
  free(functions);
  return failed ? -1 : 0;
}

static int has_barrier(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_rt_callee(i) && (strstr(cs_rt_callee(i), "barrier") || strstr(cs_rt_callee(i), "work_group")))
      return 1;
  return 0;
}

/* Variables are kept in kernels whose threads run from start to end one after the other. In warps they are vectors, and
 * between barriers a debugger showed those of other threads (tried). */
static void mark_lines(struct cs_rt_unit *unit) {
  LLVMValueRef *plain = cs_ir_allocate(unit->kernel_count + 1, sizeof *plain);
  unsigned count = 0;
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (!unit->kernels[i].uses_warp && !unit->kernels[i].phases && !has_barrier(unit->kernels[i].function))
      plain[count++] = unit->kernels[i].function;
  cs_rt_bridge_mark_lines(unit->module, &unit->lines, plain, count);
  free(plain);
}

/* CS_KERNEL_GLOBALS, with the functions whose addresses it stores (CS_RT_ADDRESS_OF). */
static int emit_variables(struct cs_rt_unit *unit) {
  LLVMValueRef *functions = NULL;
  struct group variables = {NULL, 0, NULL};
  if (!unit->globals_kernel)
    return 0;
  cs_ir_push(functions, variables.count, unit->globals_kernel);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); unit->makes_failing && f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && cs_ir_starts_with(cs_ir_name(f), CS_IR_FAIL))
      cs_ir_push(functions, variables.count, f);
  variables.functions = functions;
  unit->spirv = emit_apart(unit, &variables);
  free(functions);
  return unit->spirv ? 0 : -1;
}

int cs_rt_emit(struct cs_rt_unit *unit) {
  allow_extensions(); /* before the first target machine, which reads them */
  if (unit->debug) {
    cs_rt_place_breakpoints(unit);
    mark_lines(unit);
  }
  cs_rt_bridge_strip_debug_info(unit->module);
  return emit_variables(unit) ? -1 : emit_groups(unit);
}
