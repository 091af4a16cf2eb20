/* lent.c: the attributes of lent variables, at parameters and at calls. */
#include "pass/variables/lent.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES "cusafe.lent"
#define MEMORY "cusafe.memory"

static unsigned index_of(LLVMValueRef parameter) {
  unsigned index = 1;
  for (LLVMValueRef p = LLVMGetFirstParam(LLVMGetParamParent(parameter)); p != parameter; p = LLVMGetNextParam(p))
    index++;
  return index;
}

static LLVMAttributeRef attribute_of(LLVMValueRef parameter, const char *name) {
  return LLVMGetStringAttributeAtIndex(LLVMGetParamParent(parameter), index_of(parameter), name,
                                       (unsigned)strlen(name));
}

static cs_u64 number_in(LLVMAttributeRef attribute) {
  unsigned length;
  return strtoull(LLVMGetStringAttributeValue(attribute, &length), NULL, 10);
}

struct cs_pass_loan cs_pass_loan_of(LLVMValueRef parameter) {
  LLVMAttributeRef bytes = attribute_of(parameter, BYTES);
  if (bytes == NULL)
    return (struct cs_pass_loan){0};
  return (struct cs_pass_loan){number_in(bytes), (enum cs_memory)number_in(attribute_of(parameter, MEMORY))};
}

static LLVMAttributeRef attribute(struct cs_pass *pass, const char *name, cs_u64 value) {
  char text[32];
  int length = snprintf(text, sizeof text, "%llu", value);
  return LLVMCreateStringAttribute(pass->context, name, (unsigned)strlen(name), text, (unsigned)length);
}

void cs_pass_set_loan(struct cs_pass *pass, LLVMValueRef parameter, struct cs_pass_loan loan) {
  LLVMValueRef function = LLVMGetParamParent(parameter);
  unsigned index = index_of(parameter);
  LLVMAddAttributeAtIndex(function, index, attribute(pass, BYTES, loan.bytes));
  LLVMAddAttributeAtIndex(function, index, attribute(pass, MEMORY, loan.memory));
}

int cs_pass_is_lent(LLVMValueRef call, unsigned argument) {
  return LLVMGetCallSiteStringAttribute(call, argument + 1, BYTES, (unsigned)strlen(BYTES)) != NULL;
}

void cs_pass_set_lent(struct cs_pass *pass, LLVMValueRef call, unsigned argument) {
  LLVMAddCallSiteAttribute(call, argument + 1, attribute(pass, BYTES, 0));
}
