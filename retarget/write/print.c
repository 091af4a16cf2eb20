/* print.c: prints a unit: what the steps have learnt about kernels and variables as comments, then the module as LLVM
 * IR. */
#include "retarget/write/print.h"

static void print_flags(const struct cs_rt_kernel *kernel, FILE *to) {
  const struct {
    const char *name;
    int set;
  } flags[] = {{"uses-warp", kernel->uses_warp}, {"shaped", kernel->shaped},   {"phases", kernel->phases},
               {"framed", kernel->framed},       {"in-step", kernel->in_step}, {"spins", kernel->spins},
               {"fails", kernel->fails}};
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
    if (flags[i].set)
      fprintf(to, " %s", flags[i].name);
}

static void print_kernel(const struct cs_rt_kernel *kernel, FILE *to) {
  fprintf(to, "; kernel %s: params %u, shared %u, local %u, threads %u;", kernel->name, kernel->param_bytes,
          kernel->static_shared, kernel->local_bytes, kernel->max_threads);
  print_flags(kernel, to);
  if (kernel->spirv)
    fprintf(to, " spirv=%zu", LLVMGetBufferSize(kernel->spirv));
  fprintf(to, "\n");
  for (unsigned i = 0; i < kernel->param_count; i++) {
    const struct cs_rt_param *param = &kernel->params[i];
    fprintf(to, ";   param %u: offset %u, size %u, align %u%s\n", i, param->offset, param->size, param->align,
            param->is_pointer ? ", pointer" : "");
  }
}

void cs_rt_print_unit(const struct cs_rt_unit *unit, FILE *to) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    print_kernel(&unit->kernels[i], to);
  for (unsigned i = 0; i < unit->variable_count; i++)
    fprintf(to, "; variable %s: size %llu%s\n", unit->variables[i].name, (unsigned long long)unit->variables[i].size,
            unit->variables[i].is_constant ? ", constant" : "");
  char *text = LLVMPrintModuleToString(unit->module);
  fputs(text, to);
  LLVMDisposeMessage(text);
}
