/* pass.c: the instrumentation of one module, as a list of steps. */
#include "pass/access.h"
#include "pass/eliminate.h"
#include "pass/objects.h"
#include "pass/ptx.h"
#include "pass/scopes.h"
#include "pass/tables.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct cs_pass begin(LLVMModuleRef module, cs_u32 placement) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  return (struct cs_pass){
      .module = module,
      .context = context,
      .layout = LLVMGetModuleDataLayout(module),
      .builder = LLVMCreateBuilderInContext(context),
      .i32 = LLVMInt32TypeInContext(context),
      .i64 = LLVMInt64TypeInContext(context),
      .ptr = LLVMPointerTypeInContext(context, 0),
      .placement = placement,
  };
}

static int parse_metadata(const char *name) {
  if (strcmp(name, "table") == 0)
    return CS_PLACEMENT_TABLE;
  if (strcmp(name, "window") == 0)
    return CS_PLACEMENT_WINDOW;
  fprintf(stderr, "cusafe: -cusafe-metadata=%s is neither table nor window\n", name);
  return -1;
}

static void end(struct cs_pass *pass) {
  LLVMDisposeBuilder(pass->builder);
  cs_pass_sites_free(&pass->sites);
  cs_pass_map_free(&pass->reach);
  cs_pass_ignore_free(&pass->ignore);
  cs_pass_objects_free(pass);
}

/* Collected first: declaring the runtime adds functions. What bears our prefix already is the bench's counter. */
static LLVMValueRef *functions_with_bodies(LLVMModuleRef module, size_t *count) {
  LLVMValueRef *functions = NULL;
  size_t capacity = 0;
  *count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !cs_pass_is_ours(f))
      cs_pass_push(functions, *count, capacity, f);
  return functions;
}

/* Allocations of kernels come from tagged slabs. Calls that free are rewritten with the accesses: each has a site. */
static void redirect_malloc(struct cs_pass *pass) {
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (!cs_pass_is_malloc(f))
      continue;
    LLVMReplaceAllUsesWith(f, pass->runtime[CS_PASS_RUNTIME_MALLOC]);
    pass->uses_heap = 1;
  }
}

int cs_pass_instrument_module(LLVMModuleRef module, const struct cs_pass_options *options, cs_pass_get_analyses get,
                              void *self) {
  if (options->runtime[0] == '\0') {
    fputs("cusafe: the pass needs -mllvm -cusafe-runtime=<bitcode>; 'cusafe cc' passes it\n", stderr);
    return -1;
  }
  int placement = parse_metadata(options->metadata), eliminations = cs_pass_parse_eliminations(options->eliminate);
  if (placement < 0 || eliminations < 0)
    return -1;
  struct cs_pass pass = begin(module, (cs_u32)placement);
  pass.eliminations = eliminations;
  pass.statistics = options->statistics;
  pass.unknown = options->unknown;
  pass.skips = options->skips;
  pass.sites.headers.toolkit = options->toolkit;
  if (cs_pass_ignore_read(&pass.ignore, options->ignorelist) != 0)
    return end(&pass), -1;
  cs_pass_ignore_noted(&pass.ignore, module);
  size_t count;
  LLVMValueRef *functions = functions_with_bodies(module, &count);
  cs_pass_runtime_declare(&pass);
  redirect_malloc(&pass);
  pass.uses_heap |= cs_pass_frees(module);
  for (size_t i = 0; i < count; i++)
    cs_pass_ptx_stand_in(&pass, functions[i]);
  for (size_t i = 0; i < count; i++)
    cs_pass_eliminate(&pass, functions[i], get, self);
  struct cs_pass_work **work = calloc(count + 1, sizeof *work);
  if (work == NULL)
    abort();
  for (size_t i = 0; i < count; i++)
    work[i] = cs_pass_function_read(&pass, functions[i], get(self, functions[i], 0));
  struct cs_pass_tables tables = {0};
  cs_pass_tables_collect(&pass, &tables);
  cs_pass_objects_place(&pass);
  for (size_t i = 0; i < count; i++)
    cs_pass_function_write(work[i]);
  cs_pass_ptx_finish(&pass);
  cs_pass_objects_emit(&pass);
  cs_pass_forget_scopes(module);
  struct cs_module header = {.placement = pass.placement,
                             .object_count = pass.object_count,
                             .pointer_count = cs_pass_tables_emit(&pass, &tables),
                             .flags = pass.uses_heap ? CS_MODULE_HEAP : 0};
  cs_pass_sites_emit(&pass.sites, module, header);
  int result = cs_pass_runtime_link(&pass, options->runtime);
  if (result == 0)
    result = cs_pass_limit_registers(module, options->registers);
  free(work);
  free(functions);
  end(&pass);
  return result;
}
