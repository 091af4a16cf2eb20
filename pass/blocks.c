/* blocks.c: numbers the basic blocks of a module that defines __cs_block_table, for `bench/gpu --executed`.
 *
 * Only the bench defines it (bench/executed.h). If the module also defines __cs_count_block, every block calls it with
 * its number. Otherwise the code is for a GPU: each block is named by its number, which the back end repeats in
 * comments of the PTX. Both modules must have the same code otherwise; a fingerprint of each function shows it. */
#include "pass/blocks.h"
#include "pass/count.h"
#include <stdio.h>
#include <string.h>

#define COUNTER "__cs_count_block"

enum { TABLE_BYTES = 1 << 16 };

struct numbering {
  struct cs_pass *pass;
  LLVMValueRef counter;
  cs_u32 next; /* number of the next block; unique in the module */
  char text[TABLE_BYTES];
  size_t length;
};

static LLVMValueRef first_after_allocas(LLVMBasicBlockRef block) {
  LLVMValueRef i = LLVMGetFirstInstruction(block);
  while (LLVMIsAPHINode(i) || LLVMIsAAllocaInst(i))
    i = LLVMGetNextInstruction(i);
  return i;
}

/* The operations of all blocks, as FNV-1a; a block counts as well. */
static cs_u32 fingerprint(LLVMValueRef function) {
  cs_u32 hash = 2166136261u;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    hash = (hash ^ 0xff) * 16777619u;
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      hash = (hash ^ (cs_u32)LLVMGetInstructionOpcode(i)) * 16777619u;
  }
  return hash;
}

static void count_block(struct numbering *n, LLVMBasicBlockRef block) {
  LLVMValueRef number = LLVMConstInt(n->pass->i32, n->next, 0);
  cs_pass_call_counter(n->pass->builder, first_after_allocas(block), n->counter, &number, 1);
}

static void name_block(LLVMBasicBlockRef block, cs_u32 number, cs_u32 hash) {
  char name[32];
  snprintf(name, sizeof name, "cs.%u.%08x", number, hash);
  LLVMSetValueName2(LLVMBasicBlockAsValue(block), name, strlen(name));
}

static int number_function(struct numbering *n, LLVMValueRef function) {
  size_t length, left = sizeof n->text - n->length;
  cs_u32 hash = fingerprint(function);
  int added = snprintf(n->text + n->length, left, "%s %u %u %08x\n", LLVMGetValueName2(function, &length), n->next,
                       LLVMCountBasicBlocks(function), hash);
  if (added < 0 || (size_t)added >= left) {
    fputs("cusafe: the module has more functions than " CS_IR_BLOCK_TABLE " can describe\n", stderr);
    return -1;
  }
  n->length += (size_t)added;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b), n->next++)
    if (n->counter)
      count_block(n, b);
    else
      name_block(b, n->next, hash);
  return 0;
}

int cs_pass_number_blocks(struct cs_pass *pass) {
  struct numbering n = {.pass = pass, .counter = LLVMGetNamedFunction(pass->module, COUNTER)};
  LLVMValueRef table = LLVMGetNamedGlobal(pass->module, CS_IR_BLOCK_TABLE);
  if (table == NULL)
    return 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && f != n.counter && number_function(&n, f) != 0)
      return -1;
  LLVMSetInitializer(table, LLVMConstStringInContext2(pass->context, n.text, sizeof n.text, 1));
  return 0;
}
