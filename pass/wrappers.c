/* wrappers.c: recognises functions of clang's and CUDA's headers by the file that they were written in. */
#include "pass/wrappers.h"
#include <string.h>

static int is_header(const char *file, size_t length) {
  static const char *const marks[] = {"/lib/clang/", "/cuda", "/crt/", "/usr/", "/cusafe_nvcc.h"};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
    if (memmem(file, length, marks[i], strlen(marks[i])) != NULL)
      return 1;
  return 0;
}

/* A few instructions: larger functions have bugs and lines of their own. */
static int is_small(LLVMValueRef function) {
  unsigned count = 0;
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      count++;
  return count <= 40;
}

static int is_wrapper(LLVMValueRef function) {
  LLVMMetadataRef program = LLVMIsDeclaration(function) ? NULL : LLVMGetSubprogram(function);
  LLVMMetadataRef file = program ? LLVMDIScopeGetFile(program) : NULL;
  unsigned length = 0;
  const char *name = file ? LLVMDIFileGetFilename(file, &length) : NULL;
  return name != NULL && is_header(name, length) && is_small(function);
}

static unsigned kind(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void cs_mark_wrappers(LLVMModuleRef module) {
  LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  LLVMAttributeRef inline_ = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind("alwaysinline"), 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f)) {
    if (!is_wrapper(f))
      continue;
    LLVMRemoveEnumAttributeAtIndex(f, whole, kind("optnone"));
    LLVMRemoveEnumAttributeAtIndex(f, whole, kind("noinline"));
    LLVMAddAttributeAtIndex(f, whole, inline_);
  }
}
