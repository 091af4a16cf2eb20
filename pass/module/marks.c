/* marks.c: metadata on instructions, set by one step and read by later ones. */
#include "pass/module/marks.h"
#include <string.h>

#define OWN "cusafe.own"
/* An instruction has two accesses at most: what a copy writes and what it reads. */
#define ELIMINATED_0 "cusafe.safe.0"
#define ELIMINATED_1 "cusafe.safe.1"
#define UNREACHED "cusafe.unreached"
#define APART "cusafe.apart"

static unsigned kind_of(const struct cs_pass *pass, const char *name) {
  return LLVMGetMDKindIDInContext(pass->context, name, (unsigned)strlen(name));
}

unsigned cs_pass_exact_kind(const struct cs_pass *pass) {
  return kind_of(pass, CS_IR_EXACT);
}

int cs_pass_is_exact(const struct cs_pass *pass, LLVMValueRef instruction) {
  return LLVMGetMetadata(instruction, cs_pass_exact_kind(pass)) != NULL;
}

static unsigned eliminated_kind(const struct cs_pass *pass, unsigned operand) {
  return kind_of(pass, operand == 0 ? ELIMINATED_0 : ELIMINATED_1);
}

void cs_pass_set_eliminated(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand,
                            enum cs_pass_reason reason) {
  LLVMMetadataRef number = LLVMValueAsMetadata(LLVMConstInt(pass->i32, reason, 0));
  LLVMValueRef node = LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, &number, 1));
  LLVMSetMetadata(instruction, eliminated_kind(pass, operand), node);
}

void cs_pass_unset_eliminated(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand) {
  LLVMSetMetadata(instruction, eliminated_kind(pass, operand), NULL);
}

int cs_pass_eliminated_by(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand) {
  LLVMValueRef node = LLVMGetMetadata(instruction, eliminated_kind(pass, operand)), number;
  if (node == NULL)
    return -1;
  LLVMGetMDNodeOperands(node, &number);
  return (int)LLVMConstIntGetZExtValue(number);
}

static void set(const struct cs_pass *pass, LLVMValueRef instruction, const char *name, int on) {
  LLVMValueRef node = LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, NULL, 0));
  LLVMSetMetadata(instruction, kind_of(pass, name), on ? node : NULL);
}

void cs_pass_set_unreached(const struct cs_pass *pass, LLVMValueRef call, int on) {
  set(pass, call, UNREACHED, on);
}

int cs_pass_is_unreached(const struct cs_pass *pass, LLVMValueRef instruction) {
  return LLVMGetMetadata(instruction, kind_of(pass, UNREACHED)) != NULL;
}

void cs_pass_set_apart(const struct cs_pass *pass, LLVMValueRef access, int on) {
  set(pass, access, APART, on);
}

int cs_pass_is_apart(const struct cs_pass *pass, LLVMValueRef instruction) {
  return LLVMGetMetadata(instruction, kind_of(pass, APART)) != NULL;
}

void cs_pass_set_own(const struct cs_pass *pass, LLVMValueRef instruction) {
  if (LLVMIsAInstruction(instruction))
    set(pass, instruction, OWN, 1);
}

int cs_pass_is_own(const struct cs_pass *pass, LLVMValueRef instruction) {
  return LLVMGetMetadata(instruction, kind_of(pass, OWN)) != NULL;
}
