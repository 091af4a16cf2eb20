/* clusters.c: the size of a kernel's clusters, from its annotation. */
#include "pass/module/clusters.h"
#include "pass/module/annotations.h"
#include <stdio.h>

static void keep(LLVMModuleRef module, LLVMValueRef kernel, LLVMValueRef arguments) {
  static const char name[] = "nvvm.cluster_dim";
  unsigned long long size[3] = {1, 1, 1};
  char text[80];
  for (unsigned i = 0; arguments && i < 3 && i < (unsigned)LLVMGetNumOperands(arguments); i++)
    if (LLVMIsAConstantInt(LLVMGetOperand(arguments, i)))
      size[i] = LLVMConstIntGetZExtValue(LLVMGetOperand(arguments, i));
  int length = snprintf(text, sizeof text, "%llu,%llu,%llu", size[0], size[1], size[2]);
  LLVMAttributeRef attribute =
      LLVMCreateStringAttribute(LLVMGetModuleContext(module), name, sizeof name - 1, text, (unsigned)length);
  LLVMAddAttributeAtIndex(kernel, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

int cs_pass_keep_clusters(struct cs_pass *pass) {
  cs_pass_each_annotated(pass->module, "cusafe:cluster_dims", keep);
  return 0;
}
