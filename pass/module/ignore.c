/* ignore.c: reads ignore lists, in the format of clang's sanitizers, and looks up functions and files in them. */
#include "pass/module/ignore.h"
#include "pass/module/lines.h"
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_ROOM = 4096 };

static char *trim(char *line) {
  line += strspn(line, " \t");
  size_t length = strlen(line);
  while (length && strchr(" \t\r\n", line[length - 1]))
    line[--length] = 0;
  return line;
}

static int complain(const char *file, int number, const char *line) {
  fprintf(
      stderr,
      "cusafe: %s:%d: '%s' is not a rule: write src:PATTERN or fun:PATTERN, one per line, or put rules for other tools "
      "below a line such as [address]\n",
      file, number, line);
  return -1;
}

static void push_rule(struct cs_pass_ignore *ignore, int is_function, const char *text, size_t length) {
  char *pattern = strndup(text, length);
  if (pattern == NULL)
    abort();
  cs_pass_push(ignore->rules, ignore->count, ignore->capacity, (struct cs_pass_ignore_rule){is_function, pattern});
}

static int add_rule(struct cs_pass_ignore *ignore, const char *line) {
  int is_function = strncmp(line, "fun:", 4) == 0;
  if ((!is_function && strncmp(line, "src:", 4) != 0) || line[4] == 0)
    return -1;
  push_rule(ignore, is_function, line + 4, strlen(line + 4));
  return 0;
}

/* [cusafe], [*], and lists such as [address|cusafe] are ours. */
static int is_our_section(const char *line) {
  return strstr(line, "cusafe") != NULL || strcmp(line, "[*]") == 0;
}

int cs_pass_ignore_read(struct cs_pass_ignore *ignore, const char *file) {
  char *line = NULL;
  size_t room = 0;
  int ours = 1, bad = 0;
  if (*file == 0)
    return 0;
  FILE *in = fopen(file, "r");
  if (in == NULL) {
    fprintf(stderr, "cusafe: the ignore list %s cannot be read: %s\n", file, strerror(errno));
    return -1;
  }
  ssize_t bytes;
  for (int number = 1; !bad && (bytes = getline(&line, &room, in)) >= 0; number++) {
    int is_text = !memchr(line, 0, (size_t)bytes);
    const char *text = trim(line);
    if (!is_text) {
      fprintf(stderr, "cusafe: the ignore list %s is not a text file: line %d contains a null byte\n", file, number);
      bad = -1;
    } else if (*text == '[' && text[strlen(text) - 1] == ']')
      ours = is_our_section(text);
    else if (*text == '[') /* a broken section line must not mix CuSafe's rules with another tool's */
      bad = complain(file, number, text);
    else if (ours && *text && *text != '#' && add_rule(ignore, text) != 0)
      bad = complain(file, number, text);
  }
  if (!bad && ferror(in)) {
    fprintf(stderr, "cusafe: the ignore list %s cannot be read: %s\n", file, strerror(errno));
    bad = -1;
  }
  free(line);
  fclose(in);
  return bad;
}

void cs_pass_ignore_free(struct cs_pass_ignore *ignore) {
  for (size_t i = 0; i < ignore->count; i++)
    free(ignore->rules[i].pattern);
  free(ignore->rules);
  cs_pass_map_free(&ignore->known);
}

static int has_rule(const struct cs_pass_ignore *ignore, int is_function, const char *name) {
  for (size_t i = 0; i < ignore->count; i++)
    if (ignore->rules[i].is_function == is_function && fnmatch(ignore->rules[i].pattern, name, 0) == 0)
      return 1;
  return 0;
}

/* By the mangled name, and by the name that the user wrote, with and without its parameters. */
static int is_function_listed(const struct cs_pass_ignore *ignore, LLVMMetadataRef scope) {
  char name[NAME_ROOM], written[NAME_ROOM];
  size_t length;
  const char *linkage = cs_pass_scope_function(scope, &length);
  snprintf(name, sizeof name, "%.*s", (int)length, linkage);
  if (has_rule(ignore, 1, name))
    return 1;
  cs_pass_demangle(name, written, sizeof written);
  if (has_rule(ignore, 1, written))
    return 1;
  written[strcspn(written, "(")] = 0;
  return has_rule(ignore, 1, written);
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
  if (has_rule(ignore, 0, name))
    return 1;
  snprintf(name, sizeof name, "%.*s/%.*s", (int)folder_bytes, folder, (int)bytes, base);
  return *base != '/' && has_rule(ignore, 0, name);
}

/* ---- functions with CUSAFE_NO_CHECK ---- */

#define ANNOTATION "cusafe:no_check"
#define NOTES "cusafe.no_check"

static int is_no_check(LLVMValueRef entry) {
  LLVMValueRef text = LLVMIsAGlobalVariable(LLVMGetOperand(entry, 1));
  LLVMValueRef value = text ? LLVMGetInitializer(text) : NULL;
  size_t length;
  return value && LLVMIsConstantString(value) && strcmp(LLVMGetAsString(value, &length), ANNOTATION) == 0;
}

/* By the name that the debug locations of its accesses have. */
static void note(LLVMModuleRef module, LLVMValueRef function) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMMetadataRef program = LLVMGetSubprogram(function);
  size_t length;
  const char *name = program ? cs_pass_scope_function(program, &length) : LLVMGetValueName2(function, &length);
  LLVMMetadataRef text = LLVMMDStringInContext2(context, name, length);
  LLVMAddNamedMetadataOperand(module, NOTES, LLVMMetadataAsValue(context, LLVMMDNodeInContext2(context, &text, 1)));
}

void cs_pass_note_unchecked_functions(LLVMModuleRef module) {
  LLVMValueRef all = LLVMGetNamedGlobal(module, "llvm.global.annotations");
  LLVMValueRef list = all ? LLVMGetInitializer(all) : NULL;
  for (unsigned i = 0; list && i < (unsigned)LLVMGetNumOperands(list); i++) {
    LLVMValueRef entry = LLVMGetOperand(list, i);
    LLVMValueRef function = LLVMGetNumOperands(entry) > 1 ? LLVMIsAFunction(LLVMGetOperand(entry, 0)) : NULL;
    if (function && is_no_check(entry))
      note(module, function);
  }
}

void cs_pass_ignore_noted(struct cs_pass_ignore *ignore, LLVMModuleRef module) {
  unsigned count = LLVMGetNamedMetadataNumOperands(module, NOTES);
  LLVMValueRef *notes = calloc(count + 1, sizeof *notes);
  if (notes == NULL)
    abort();
  LLVMGetNamedMetadataOperands(module, NOTES, notes);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef text;
    unsigned length;
    LLVMGetMDNodeOperands(notes[i], &text);
    const char *name = LLVMGetMDString(text, &length);
    push_rule(ignore, 1, name, length);
  }
  free(notes);
}

int cs_pass_ignored(struct cs_pass_ignore *ignore, LLVMValueRef instruction) {
  LLVMMetadataRef location = ignore->count ? cs_pass_line_of(NULL, instruction) : NULL;
  LLVMMetadataRef scope = location ? LLVMDILocationGetScope(location) : NULL;
  if (scope == NULL)
    return 0;
  const char *known = cs_pass_map_get(&ignore->known, scope);
  if (known == NULL) {
    int listed = is_function_listed(ignore, scope) || is_file_listed(ignore, scope);
    known = listed ? "ignored" : "";
    cs_pass_map_set(&ignore->known, scope, (void *)known);
  }
  return *known != 0;
}
