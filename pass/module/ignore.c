/* ignore.c: looks up the functions and files of instructions in the ignore list, and notes functions with
 * CUSAFE_NO_CHECK. */
#include "pass/module/ignore.h"
#include "ir/memory.h"
#include "pass/module/annotations.h"
#include "pass/module/lines.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 4096 };

void cs_pass_ignore_free(struct cs_pass_ignore *ignore) {
  cs_pass_ignore_rules_free(&ignore->list);
  cs_ir_map_free(&ignore->known);
}

/* By the mangled name, and by the name that the user wrote, with and without its parameters. */
static int is_function_listed(const struct cs_pass_ignore *ignore, LLVMMetadataRef scope) {
  char name[NAME_ROOM], written[NAME_ROOM];
  size_t length;
  const char *linkage = cs_pass_scope_function(scope, &length);
  snprintf(name, sizeof name, "%.*s", (int)length, linkage);
  if (cs_pass_ignore_rules_have(&ignore->list, 1, name))
    return 1;
  cs_pass_demangle(name, written, sizeof written);
  if (cs_pass_ignore_rules_have(&ignore->list, 1, written))
    return 1;
  written[strcspn(written, "(")] = 0;
  return cs_pass_ignore_rules_have(&ignore->list, 1, written);
}

/* By the name that the compiler was given, and with its folder. */
static int is_file_listed(const struct cs_pass_ignore *ignore, LLVMMetadataRef scope) {
  char name[NAME_ROOM];
  unsigned folder_bytes, bytes;
  LLVMMetadataRef file = LLVMDIScopeGetFile(scope);
  if (file == NULL)
    return 0;
  const char *folder = LLVMDIFileGetDirectory(file, &folder_bytes), *base = LLVMDIFileGetFilename(file, &bytes);
  snprintf(name, sizeof name, "%.*s", (int)bytes, base);
  if (cs_pass_ignore_rules_have(&ignore->list, 0, name))
    return 1;
  snprintf(name, sizeof name, "%.*s/%.*s", (int)folder_bytes, folder, (int)bytes, base);
  return *base != '/' && cs_pass_ignore_rules_have(&ignore->list, 0, name);
}

/* ---- functions with CUSAFE_NO_CHECK ---- */

#define NOTES "cusafe.no_check"

/* By the name that the debug locations of its accesses have. */
static void note(LLVMModuleRef module, LLVMValueRef function, LLVMValueRef arguments) {
  (void)arguments;
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMMetadataRef program = LLVMGetSubprogram(function);
  size_t length;
  const char *name = program ? cs_pass_scope_function(program, &length) : LLVMGetValueName2(function, &length);
  LLVMMetadataRef text = LLVMMDStringInContext2(context, name, length);
  LLVMAddNamedMetadataOperand(module, NOTES, LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &text, 1)));
}

void cs_pass_note_unchecked_functions(LLVMModuleRef module) {
  cs_pass_each_annotated(module, "cusafe:no_check", note);
}

void cs_pass_ignore_noted(struct cs_pass_ignore *ignore, LLVMModuleRef module) {
  unsigned count = LLVMGetNamedMetadataNumOperands(module, NOTES);
  LLVMValueRef *notes = cs_ir_allocate(count + 1, sizeof *notes);
  LLVMGetNamedMetadataOperands(module, NOTES, notes);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef text;
    unsigned length;
    LLVMGetMDNodeOperands(notes[i], &text);
    const char *name = LLVMGetMDString(text, &length);
    cs_pass_ignore_rules_add(&ignore->list, 1, name, length);
  }
  free(notes);
}

int cs_pass_ignored(struct cs_pass_ignore *ignore, LLVMValueRef instruction) {
  LLVMMetadataRef location = ignore->list.count ? cs_pass_line_of(NULL, instruction) : NULL;
  LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
  if (scope == NULL)
    return 0;
  const char *known = cs_ir_map_get(&ignore->known, scope);
  if (known == NULL) {
    int listed = is_function_listed(ignore, scope) || is_file_listed(ignore, scope);
    known = listed ? "ignored" : "";
    cs_ir_map_set(&ignore->known, scope, (void *)known);
  }
  return *known != 0;
}
