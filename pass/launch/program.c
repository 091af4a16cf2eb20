/* program.c: translates straight-line IR over a kernel's arguments and dimensions to operations for the host. */
#include "pass/launch/program.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/bridge/bridge.h"
#include "pass/ranges/ranges.h"
#include "pass/ranges/stand_ins.h"
#include "pass/variables/objects.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static int value_of(struct cs_pass_program *p, LLVMValueRef value);

/* Equal operations are one. */
static int add(struct cs_pass_program *p, enum cs_operation_code code, unsigned width, int a, int b, int c) {
  struct cs_operation operation = {(unsigned char)code, (unsigned char)width, (unsigned short)a, (unsigned short)b,
                                   (unsigned short)c};
  uint64_t bits;
  memcpy(&bits, &operation, sizeof bits);
  const void *key = (const void *)(uintptr_t)(bits + 1);
  size_t known = (size_t)(uintptr_t)cs_ir_map_get(&p->same, key);
  if (known)
    return (int)known - 1;
  if (p->count == CS_FORM_OPERATIONS)
    return -1;
  cs_ir_push(p->operations, p->count, operation);
  cs_ir_map_set(&p->same, key, (void *)(uintptr_t)p->count);
  return (int)p->count - 1;
}

static int constant(struct cs_pass_program *p, cs_u64 value, unsigned width) {
  const void *key = (const void *)(uintptr_t)(value + 1);
  size_t number = key ? (size_t)(uintptr_t)cs_ir_map_get(&p->constant_numbers, key) : 0;
  if (number == 0) { /* a key is never NULL: all ones are added again each time */
    cs_ir_push(p->constants, p->constant_count, value);
    number = p->constant_count;
    if (key)
      cs_ir_map_set(&p->constant_numbers, key, (void *)(uintptr_t)number);
  }
  return number > UINT16_MAX ? -1 : add(p, CS_OPERATION_CONSTANT, width, (int)number - 1, 0, 0);
}

/* Bits of an integer or a pointer; 0 for anything else. */
static unsigned width_of(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMPointerTypeKind)
    return LLVMGetPointerAddressSpace(type) <= CS_IR_SPACE_GLOBAL ? 64 : 0;
  unsigned width = LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
  return width <= 64 ? width : 0;
}

static int number_of(LLVMValueRef argument) {
  LLVMValueRef function = LLVMGetParamParent(argument);
  unsigned number = 0;
  while (LLVMGetParam(function, number) != argument)
    number++;
  return (int)number;
}

static int argument(struct cs_pass_program *p, LLVMValueRef value) {
  return cs_pass_is_parameter_in_memory(value)
             ? -1
             : add(p, CS_OPERATION_PARAMETER, width_of(LLVMTypeOf(value)), number_of(value), 0, 0);
}

/* A field of a structure that is passed by value. */
static int field(struct cs_pass_program *p, LLVMValueRef instruction) {
  unsigned width = width_of(LLVMTypeOf(instruction)), offset;
  LLVMValueRef argument = width % 8 == 0 ? cs_pass_field_at_launch(instruction, &offset) : NULL;
  if (argument == NULL || offset > UINT16_MAX)
    return -1;
  return add(p, CS_OPERATION_PARAMETER, width, number_of(argument), (int)offset, 0);
}

/* Translates the operands first. */
static int combine(struct cs_pass_program *p, enum cs_operation_code code, LLVMValueRef user, unsigned count) {
  int operands[3] = {0};
  for (unsigned i = 0; i < count; i++)
    if ((operands[i] = value_of(p, LLVMGetOperand(user, i))) < 0)
      return -1;
  return add(p, code, width_of(LLVMTypeOf(LLVMGetOperand(user, count - 1))), operands[0], operands[1], operands[2]);
}

static int compare(struct cs_pass_program *p, LLVMValueRef instruction) {
  static const struct {
    LLVMIntPredicate predicate;
    enum cs_operation_code code;
    int swapped;
  } comparisons[] = {{LLVMIntEQ, CS_OPERATION_EQ, 0},   {LLVMIntNE, CS_OPERATION_NE, 0},
                     {LLVMIntULT, CS_OPERATION_ULT, 0}, {LLVMIntULE, CS_OPERATION_ULE, 0},
                     {LLVMIntUGT, CS_OPERATION_ULT, 1}, {LLVMIntUGE, CS_OPERATION_ULE, 1},
                     {LLVMIntSLT, CS_OPERATION_SLT, 0}, {LLVMIntSLE, CS_OPERATION_SLE, 0},
                     {LLVMIntSGT, CS_OPERATION_SLT, 1}, {LLVMIntSGE, CS_OPERATION_SLE, 1}};
  LLVMIntPredicate predicate = LLVMGetICmpPredicate(instruction);
  int a = value_of(p, LLVMGetOperand(instruction, 0)), b = value_of(p, LLVMGetOperand(instruction, 1));
  unsigned width = width_of(LLVMTypeOf(LLVMGetOperand(instruction, 0)));
  for (size_t i = 0; a >= 0 && b >= 0 && i < sizeof comparisons / sizeof *comparisons; i++)
    if (comparisons[i].predicate == predicate)
      return comparisons[i].swapped ? add(p, comparisons[i].code, width, b, a, 0)
                                    : add(p, comparisons[i].code, width, a, b, 0);
  return -1;
}

static int convert(struct cs_pass_program *p, enum cs_operation_code code, LLVMValueRef cast) {
  LLVMValueRef from = LLVMGetOperand(cast, 0);
  int a = value_of(p, from);
  return a < 0 ? -1 : add(p, code, width_of(LLVMTypeOf(from)), a, (int)width_of(LLVMTypeOf(cast)), 0);
}

/* A cast that keeps the bits: values have zeros above their width. */
static int same(struct cs_pass_program *p, LLVMValueRef cast) {
  LLVMValueRef from = LLVMGetOperand(cast, 0);
  return width_of(LLVMTypeOf(from)) && width_of(LLVMTypeOf(cast)) >= width_of(LLVMTypeOf(from)) ? value_of(p, from)
                                                                                                : -1;
}

/* Indices from 0 on that are in bounds: see __cs_index_bound in device/runtime.h, whose arguments these are. */
static int index_bound(struct cs_pass_program *p, LLVMValueRef call) {
  int operands[6];
  for (unsigned i = 0; i < 6; i++)
    if ((operands[i] = value_of(p, LLVMGetOperand(call, i))) < 0)
      return -1;
  int distance = add(p, CS_OPERATION_SUB, 64, operands[0], operands[1], 0);
  if (distance >= 0)
    distance = add(p, CS_OPERATION_ADD, 64, distance, operands[2], 0);
  int count = distance < 0 ? -1 : add(p, CS_OPERATION_INDEX_COUNT, 64, distance, operands[3], operands[5]);
  return count < 0 ? -1 : add(p, CS_OPERATION_UMIN, 64, count, operands[4], 0);
}

static int dimension(struct cs_pass_program *p, const char *name, const char *prefix, enum cs_operation_code code) {
  size_t length = strlen(prefix);
  return strncmp(name, prefix, length) == 0 ? add(p, code, 64, name[length] - 'x', 0, 0) : -1;
}

/* Functions of the runtime, by what computes the same on the host. */
static int runtime_call(struct cs_pass_program *p, LLVMValueRef call, LLVMValueRef callee) {
  static const struct {
    enum cs_pass_runtime function;
    enum cs_operation_code code;
    unsigned operands;
  } functions[] = {{CS_PASS_RUNTIME_START, CS_OPERATION_START, 1},
                   {CS_PASS_RUNTIME_SIZE, CS_OPERATION_SIZE, 1},
                   {CS_PASS_RUNTIME_LIMIT, CS_OPERATION_LIMIT, 2},
                   {CS_PASS_RUNTIME_ALIGNED, CS_OPERATION_ALIGNED, 3}};
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
    if (callee == p->pass->runtime[functions[i].function])
      return combine(p, functions[i].code, call, functions[i].operands);
  if (callee == p->pass->runtime[CS_PASS_RUNTIME_DYNAMIC_SIZE])
    return add(p, CS_OPERATION_DYNAMIC, 64, 0, 0, 0);
  return callee == p->pass->runtime[CS_PASS_RUNTIME_INDEX_BOUND] ? index_bound(p, call) : -1;
}

static int intrinsic(struct cs_pass_program *p, LLVMValueRef call, const char *name) {
  static const struct {
    const char *prefix;
    enum cs_operation_code code;
    unsigned operands;
  } intrinsics[] = {{"llvm.smin.", CS_OPERATION_SMIN, 2}, {"llvm.smax.", CS_OPERATION_SMAX, 2},
                    {"llvm.umin.", CS_OPERATION_UMIN, 2}, {"llvm.umax.", CS_OPERATION_UMAX, 2},
                    {"llvm.abs.", CS_OPERATION_ABS, 1},   {"llvm.usub.sat.", CS_OPERATION_USUB_SAT, 2},
                    {"llvm.ctlz.", CS_OPERATION_CTLZ, 1}};
  for (size_t i = 0; i < sizeof intrinsics / sizeof *intrinsics; i++)
    if (strncmp(name, intrinsics[i].prefix, strlen(intrinsics[i].prefix)) == 0)
      return combine(p, intrinsics[i].code, call, intrinsics[i].operands);
  return -1;
}

static int call(struct cs_pass_program *p, LLVMValueRef call) {
  static const struct {
    const char *prefix;
    enum cs_operation_code code;
  } dimensions[] = {{"llvm.nvvm.read.ptx.sreg.ntid.", CS_OPERATION_BLOCK_DIM},
                    {"llvm.nvvm.read.ptx.sreg.nctaid.", CS_OPERATION_GRID_DIM},
                    {CS_PASS_FIRST_BLOCK, CS_OPERATION_FIRST_BLOCK},
                    {CS_PASS_LAST_BLOCK, CS_OPERATION_LAST_BLOCK}};
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
  const char *name = callee ? cs_ir_name(callee) : "";
  int made = runtime_call(p, call, callee);
  for (size_t i = 0; made < 0 && i < sizeof dimensions / sizeof *dimensions; i++)
    made = dimension(p, name, dimensions[i].prefix, dimensions[i].code);
  return made < 0 ? intrinsic(p, call, name) : made;
}

static int instruction(struct cs_pass_program *p, LLVMValueRef i) {
  static const struct {
    LLVMOpcode opcode;
    enum cs_operation_code code;
  } binary[] = {{LLVMAdd, CS_OPERATION_ADD},   {LLVMSub, CS_OPERATION_SUB},   {LLVMMul, CS_OPERATION_MUL},
                {LLVMUDiv, CS_OPERATION_UDIV}, {LLVMSDiv, CS_OPERATION_SDIV}, {LLVMURem, CS_OPERATION_UREM},
                {LLVMSRem, CS_OPERATION_SREM}, {LLVMAnd, CS_OPERATION_AND},   {LLVMOr, CS_OPERATION_OR},
                {LLVMXor, CS_OPERATION_XOR},   {LLVMShl, CS_OPERATION_SHL},   {LLVMLShr, CS_OPERATION_LSHR},
                {LLVMAShr, CS_OPERATION_ASHR}};
  LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
  for (size_t k = 0; k < sizeof binary / sizeof *binary; k++)
    if (binary[k].opcode == opcode)
      return combine(p, binary[k].code, i, 2);
  switch (opcode) {
  case LLVMICmp:
    return compare(p, i);
  case LLVMSelect:
    return combine(p, CS_OPERATION_SELECT, i, 3);
  case LLVMLoad:
  case LLVMExtractElement:
    return field(p, i);
  case LLVMCall:
    return call(p, i);
  case LLVMTrunc:
    return convert(p, CS_OPERATION_TRUNC, i);
  case LLVMSExt:
    return convert(p, CS_OPERATION_SEXT, i);
  case LLVMZExt:
  case LLVMFreeze:
  case LLVMBitCast:
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
    return same(p, i);
  default:
    return -1;
  }
}

/* -1 is remembered, too: as the number that no operation has. */
static int value_of(struct cs_pass_program *p, LLVMValueRef value) {
  unsigned width = width_of(LLVMTypeOf(value));
  if (width == 0)
    return -1;
  if (LLVMIsAConstantInt(value))
    return constant(p, LLVMConstIntGetZExtValue(value), width);
  size_t known = (size_t)(uintptr_t)cs_ir_map_get(&p->values, value);
  if (known)
    return known > CS_FORM_OPERATIONS ? -1 : (int)known - 1;
  int made = -1;
  if (LLVMIsAArgument(value))
    made = argument(p, value);
  else if (LLVMIsAInstruction(value))
    made = instruction(p, value);
  cs_ir_map_set(&p->values, value, (void *)(uintptr_t)(made < 0 ? CS_FORM_OPERATIONS + 1 : (unsigned)made + 1));
  return made;
}

int cs_pass_program_value(struct cs_pass_program *program, LLVMValueRef value) {
  return value_of(program, value);
}

int cs_pass_program_both(struct cs_pass_program *program, int a, int b) {
  return a < 0 || a == b ? b : add(program, CS_OPERATION_AND, 1, a, b, 0);
}

int cs_pass_program_true(struct cs_pass_program *program) {
  return constant(program, 1, 1);
}

void cs_pass_program_forget_values(struct cs_pass_program *program) {
  cs_ir_map_free(&program->values);
  program->values = (struct cs_ir_map){0};
}

void cs_pass_program_free(struct cs_pass_program *program) {
  free(program->operations);
  free(program->constants);
  cs_ir_map_free(&program->same);
  cs_ir_map_free(&program->values);
  cs_ir_map_free(&program->constant_numbers);
}
