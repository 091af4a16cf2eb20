/* lines.c: source locations: .loc with the calls that were inlined, .file, and the names in .debug_str. */
#include "lift/lines.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- Names of inlined functions --- */

/* Bytes of ".b8 95,90,0" up to the first 0, or up to the next label. */
static void read_string(struct cs_lift_unit *unit, const char *name, const char *at, const char *end) {
  char *text = cs_ptx_allocate(&unit->arena, (size_t)(end - at) + 1);
  size_t length = 0;
  while (at < end) {
    char *next;
    unsigned long value = strtoul(at, &next, 0);
    if (next == at) {
      at += strncmp(at, ".b8", 3) == 0 ? 3 : 1;
      continue;
    }
    text[length++] = (char)value;
    if (value == 0)
      break;
    at = next;
  }
  cs_ir_map_set_name(&unit->strings, name, text);
}

static void read_strings(struct cs_lift_unit *unit, const char *text) {
  for (const char *colon; (colon = strchr(text, ':')) != NULL;) {
    const char *start = colon;
    while (start > text && !strchr(" \t\n", start[-1]))
      start--;
    const char *next = strchr(colon + 1, ':'), *end = next ? next : colon + strlen(colon);
    while (next && end > colon + 1 && end[-1] != '\n')
      end--;
    read_string(unit, cs_ptx_copy(&unit->arena, start, (size_t)(colon - start)), colon + 1, end);
    text = end;
  }
}

/* --- Inline assembly --- */

/* LLVM writes a .loc for every line of inline assembly, as if these were lines of the source: the one before it has the
 * source line. */
void cs_lift_forget_asm_lines(char *text) {
  static const char begin[] = "// begin inline asm", end[] = "// end inline asm";
  for (char *at = text, *stop; (at = strstr(at, begin)) != NULL && (stop = strstr(at, end)) != NULL; at = stop)
    for (char *loc; (loc = memmem(at, (size_t)(stop - at), ".loc", 4)) != NULL; at = loc + 4)
      if (loc[4] == '\t' || loc[4] == ' ') /* not .local */
        memset(loc, ' ', strcspn(loc, "\n"));
}

/* --- Files and functions --- */

static LLVMMetadataRef file_of(struct cs_lift_unit *unit, unsigned number) {
  LLVMMetadataRef known = cs_ir_map_get(&unit->files, (void *)((uintptr_t)number + 1));
  return known ? known : cs_ir_map_get(&unit->files, (void *)(uintptr_t)1);
}

static LLVMMetadataRef make_file(struct cs_lift_unit *unit, const char *path) {
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  return LLVMDIBuilderCreateFile(unit->lines, name, strlen(name), path, slash ? (size_t)(slash - path) : 0);
}

static LLVMMetadataRef make_function(struct cs_lift_unit *unit, const char *name, LLVMMetadataRef file, unsigned line) {
  LLVMMetadataRef type = LLVMDIBuilderCreateSubroutineType(unit->lines, file, NULL, 0, LLVMDIFlagZero);
  return LLVMDIBuilderCreateFunction(unit->lines, file, name, strlen(name), name, strlen(name), file, line, type, 0, 1,
                                     line, LLVMDIFlagPrototyped, 1);
}

static LLVMMetadataRef inlined_function(struct cs_lift_unit *unit, const char *name, LLVMMetadataRef file,
                                        unsigned line) {
  LLVMMetadataRef made = cs_ir_map_get_name(&unit->functions, name);
  if (!made) {
    made = make_function(unit, name, file, line);
    cs_ir_map_set_name(&unit->functions, name, made);
  }
  return made;
}

/* LLVM writes ".target sm_90, debug" for any other kind, and ptxas does not optimise such code. The C interface has no
 * name for this kind. */
static LLVMDWARFEmissionKind emission_of(const struct cs_lift_unit *unit) {
  enum { DIRECTIVES_ONLY = 3 }; /* DICompileUnit::DebugDirectivesOnly */
  return cs_lift_is_for_debugging(unit) ? LLVMDWARFEmissionLineTablesOnly : (LLVMDWARFEmissionKind)DIRECTIVES_ONLY;
}

void cs_lift_start_lines(struct cs_lift_unit *unit) {
  static const char producer[] = "cusafe lift";
  LLVMMetadataRef first = make_file(unit, unit->path);
  cs_ir_map_set(&unit->files, (void *)(uintptr_t)1, first);
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_FILE && item->number)
      cs_ir_map_set(&unit->files, (void *)((uintptr_t)item->number + 1), make_file(unit, item->text));
    if (item->kind == CS_PTX_SECTION && strcmp(item->name, ".debug_str") == 0)
      read_strings(unit, item->text);
  }
  unit->compile_unit =
      LLVMDIBuilderCreateCompileUnit(unit->lines, LLVMDWARFSourceLanguageC_plus_plus, file_of(unit, 1), producer,
                                     strlen(producer), 1, "", 0, 0, "", 0, emission_of(unit), 0, 0, 0, "", 0, "", 0);
}

/* The first .loc of the body is the function's own line. */
void cs_lift_start_function_lines(struct cs_lift_function *f) {
  const struct cs_ptx_loc *first = NULL;
  for (unsigned i = 0; i < f->ptx->node_count && !first; i++)
    if (f->ptx->nodes[i].kind == CS_PTX_LOC && !f->ptx->nodes[i].loc->function)
      first = f->ptx->nodes[i].loc;
  LLVMMetadataRef file = first ? file_of(f->unit, first->file) : file_of(f->unit, 0);
  f->program = make_function(f->unit, f->ptx->name, file, first ? first->line : f->ptx->line);
  LLVMSetSubprogram(f->value, f->program);
  LLVMSetCurrentDebugLocation2(f->builder, LLVMDIBuilderCreateDebugLocation(f->unit->context, 0, 0, f->program, NULL));
}

/* --- Locations --- */

/* Calls that were inlined are named by their location: the chain continues with the .loc that had it. */
static const void *key_of(struct cs_lift_unit *unit, unsigned file, unsigned line, unsigned column) {
  char text[40];
  int length = snprintf(text, sizeof text, "%u:%u:%u", file, line, column);
  return cs_ptx_copy(&unit->arena, text, (size_t)length);
}

/* nvcc -G does not name the functions that it inlines: such code has the lines of their files. */
static LLVMMetadataRef scope_in(struct cs_lift_function *f, unsigned number) {
  LLVMMetadataRef file = file_of(f->unit, number);
  return file == LLVMDIScopeGetFile(f->program)
             ? f->program
             : LLVMDIBuilderCreateLexicalBlockFile(f->unit->lines, f->program, file, 0);
}

static LLVMMetadataRef call_site(struct cs_lift_function *f, const struct cs_ptx_loc *loc) {
  LLVMMetadataRef known = cs_ir_map_get_name(&f->calls, key_of(f->unit, loc->at_file, loc->at_line, loc->at_column));
  return known ? known
               : LLVMDIBuilderCreateDebugLocation(f->unit->context, loc->at_line, loc->at_column,
                                                  scope_in(f, loc->at_file), NULL);
}

void cs_lift_set_line(struct cs_lift_function *f, const struct cs_ptx_loc *loc) {
  const char *name = loc->function ? cs_ir_map_get_name(&f->unit->strings, loc->function) : NULL;
  LLVMMetadataRef scope =
      loc->function ? inlined_function(f->unit, name ? name : loc->function, file_of(f->unit, loc->file), loc->line)
                    : scope_in(f, loc->file);
  LLVMMetadataRef at = loc->function ? call_site(f, loc) : NULL;
  LLVMMetadataRef made = LLVMDIBuilderCreateDebugLocation(f->unit->context, loc->line, loc->column, scope, at);
  cs_ir_map_set_name(&f->calls, key_of(f->unit, loc->file, loc->line, loc->column), made);
  LLVMSetCurrentDebugLocation2(f->builder, made);
}
