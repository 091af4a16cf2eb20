/* describe.c: `cusafe doctor PROGRAM`: the CUDA code of a program or library, and what CuSafe can do with it. */
#include "cli/describe.h"
#include "cli/base/message.h"
#include "cli/base/paths.h"
#include "cli/program.h"
#include "report/print.h"
#include <stdio.h>
#include <string.h>

static void print_name(const char *name) {
  cs_report_print(stdout, "%-17s ", name);
}

static void print_archs(const char *name, const char *prefix, const struct cs_cli_archs *archs) {
  print_name(name);
  for (size_t i = 0; i < archs->count; i++)
    cs_report_print(stdout, "%s%s%u", i ? ", " : "", prefix, archs->items[i]);
  puts(archs->count ? "" : "none");
}

static void print_runtime(const struct cs_cli_program *p) {
  print_name("CUDA runtime");
  if (p->runtime == CS_CLI_RUNTIME_STATIC)
    puts("NVIDIA's, static");
  else if (p->runtime == CS_CLI_RUNTIME_SHARED)
    cs_report_print(stdout, "shared, %s\n", *p->soname ? p->soname : "of another library");
  else
    puts("none");
}

static void print_code(const struct cs_cli_program *p) {
  size_t all = p->modules + p->images;
  print_name("device code");
  cs_report_print(stdout, "%zu module%s%s\n", all, all == 1 ? "" : "s",
                  p->malformed ? ", not all of which can be read" : "");
  if (p->images)
    cs_report_print(stdout, "%-17s %zu for the CPU device, built by 'cusafe cc'\n", "", p->images);
  if (p->modules) {
    print_archs("PTX", "compute_", &p->ptx);
    print_archs("machine code", "sm_", &p->machine_code);
  }
  if (p->ptx.count) {
    print_name("line information");
    puts(p->has_lines ? "yes" : "no");
  }
  print_name("checked by CuSafe");
  cs_report_print(stdout, "%s\n", p->checked == 0 ? "no" : p->checked == all ? "yes" : "in part");
}

/* --- What CuSafe can do --- */

static void advise_nvcc(const struct cs_cli_program *p, const char *path) {
  if (p->runtime == CS_CLI_RUNTIME_STATIC)
    cs_report_print(stdout, "Link it with 'nvcc -cudart shared': the CPU device cannot run NVIDIA's static runtime.\n");
  else if (*p->soname && strcmp(p->soname, CS_CLI_CPU_RUNTIME) != 0)
    cs_report_print(stdout, "Build it with CUDA 13: the CPU device has " CS_CLI_CPU_RUNTIME ".\n");
  else if (p->ptx.count)
    cs_report_print(stdout, "'cusafe run --device=cpu %s' checks the PTX and runs it without a GPU.\n", path);
  if (p->without_ptx)
    cs_report_print(
        stdout,
        "%zu module%s no PTX, which the CPU device needs: nvcc adds it with '-arch=sm_%u', not with 'code=sm_%u' "
        "alone.\n",
        p->without_ptx, p->without_ptx == 1 ? " has" : "s have", p->machine_code.count ? p->machine_code.items[0] : 90,
        p->machine_code.count ? p->machine_code.items[0] : 90);
  if (p->ptx.count && !p->has_lines)
    puts("Compile it with 'nvcc -lineinfo' for reports with source lines.");
  if (p->ptx.count)
    cs_report_print(stdout, "On a GPU, 'cusafe run %s' adds the checks to the PTX when the program loads it.\n", path);
  else
    puts("On a GPU its kernels are not checked; 'cusafe cc' builds programs whose kernels are.");
}

static void advise(const struct cs_cli_program *p, const char *path) {
  putchar('\n');
  if (p->modules + p->images == 0)
    puts("There is no device code to check in this file; libraries that it loads may have some.");
  else if (p->images)
    cs_report_print(stdout, "'cusafe run %s' runs it on the CPU device%s.\n", path,
                    p->checked ? "" : ", without checks");
  else if (p->checked)
    cs_report_print(stdout,
                    "'cusafe run %s' runs it on a GPU; for the CPU device, build it with 'cusafe cc --device=cpu'.\n",
                    path);
  else
    advise_nvcc(p, path);
}

int cs_cli_describe(const char *path) {
  static struct cs_cli_program program;
  if (cs_cli_program_inspect(&program, path) != 0)
    return cs_cli_fail("%s is not a 64-bit ELF program or library.", path);
  print_runtime(&program);
  print_code(&program);
  advise(&program, path);
  return 0;
}
