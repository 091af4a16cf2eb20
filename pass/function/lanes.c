/* lanes.c: tells the pointers in wide stores from integers that the program has stored. A stored pointer gets its mark,
 * an integer stays as it is. */
#include "pass/function/lanes.h"
#include "ir/instructions.h"
#include <string.h>

#define CONVERSION "cusafe.conversion" /* the program's own */
#define LANE "cusafe.lane"

static unsigned kind_of(const struct cs_pass *pass, const char *name) {
  return LLVMGetMDKindIDInContext(pass->context, name, (unsigned)strlen(name));
}

static void set(const struct cs_pass *pass, LLVMValueRef instruction, const char *name, int on) {
  LLVMValueRef node = LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, NULL, 0));
  LLVMSetMetadata(instruction, kind_of(pass, name), on ? node : NULL);
}

static int has(const struct cs_pass *pass, LLVMValueRef instruction, const char *name) {
  return LLVMGetMetadata(instruction, kind_of(pass, name)) != NULL;
}

static void note_conversion(const struct cs_pass *pass, LLVMValueRef conversion) {
  set(pass, conversion, CONVERSION, 1);
}

static int goes_into_vector(LLVMValueRef value) {
  LLVMUseRef use = LLVMGetFirstUse(value);
  return use && !LLVMGetNextUse(use) && LLVMIsAInsertElementInst(LLVMGetUser(use));
}

static void note_lane(const struct cs_pass *pass, LLVMValueRef conversion) {
  if (has(pass, conversion, CONVERSION))
    set(pass, conversion, CONVERSION, 0);
  else if (goes_into_vector(conversion))
    set(pass, conversion, LANE, 1);
}

static int for_each(struct cs_pass *pass, void note(const struct cs_pass *, LLVMValueRef)) {
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = cs_ir_first(f); i; i = cs_ir_next(i))
      if (LLVMIsAPtrToIntInst(i))
        note(pass, i);
  return 0;
}

int cs_pass_note_conversions(struct cs_pass *pass) {
  return for_each(pass, note_conversion);
}

int cs_pass_note_lanes(struct cs_pass *pass) {
  return for_each(pass, note_lane);
}

int cs_pass_is_lane(const struct cs_pass *pass, LLVMValueRef conversion) {
  return has(pass, conversion, LANE);
}
