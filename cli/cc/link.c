/* link.c: links programs, shared and static libraries. */
#include "cli/cc/link.h"
#include "cli/base/gpu_libraries.h"
#include "cli/base/message.h"
#include "cli/cc/explain.h"
#include "cli/cc/units.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void push_rpath(struct cs_cli_argv *to, const char *folder) {
  const char *const words[] = {"-Xlinker", "-rpath", "-Xlinker", folder};
  CS_CLI_ARGV_PUSH_ALL(to, words);
}

/* Defines a symbol by which libcusafe learns how the program was built. */
static void push_build_symbol(struct cs_cli_argv *to, const char *name) {
  cs_cli_argv_pushf(to, "-Wl,--defsym=%s=1", name);
  cs_cli_argv_pushf(to, "-Wl,--export-dynamic-symbol=%s", name);
}

static void push_libcusafe(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  if (b->cc.bare)
    return;
  cs_cli_argv_push(to, "-Wl,--push-state,--no-as-needed");
  cs_cli_argv_pushf(to, "-L%s", b->paths.lib);
  cs_cli_argv_push(to, "-l:" CUSAFE_SONAME);
  cs_cli_argv_push(to, "-Wl,--pop-state");
  push_rpath(to, b->paths.lib);
  if (b->cc.window)
    push_build_symbol(to, "__cusafe_metadata_window");
  if (b->cc.gpu)
    push_build_symbol(to, "__cusafe_device_gpu");
}

/* NULL, or the library of the CPU device that the argument names. */
static const struct cs_cli_gpu_library *cpu_library(const struct cs_cli_build *b, const char *argument) {
  const struct cs_cli_gpu_library *library = b->cc.gpu ? NULL : cs_cli_gpu_library(argument);
  return library && library->computes ? library : NULL;
}

/* Before the user's folders, which may have NVIDIA's libraries, at the link and at run time. */
static void push_cpu_folders(struct cs_cli_argv *to, const struct cs_cli_build *b, const struct cs_cli_argv *inputs) {
  const struct cs_cli_gpu_library *library = NULL;
  if (b->cc.gpu)
    return;
  cs_cli_argv_pushf(to, "-L%s", b->paths.cpu);
  push_rpath(to, b->paths.cpu);
  for (size_t i = 0; i < inputs->count && !library; i++)
    library = cpu_library(b, inputs->items[i]);
  if (library) { /* all are in one folder */
    char *folder =
        cs_cli_format("%s/%.*s", b->paths.cpu, (int)(strrchr(library->file, '/') - library->file), library->file);
    push_rpath(to, folder);
    free(folder);
  }
}

static void push_cudart(struct cs_cli_argv *to, const struct cs_cli_build *b) {
  static const char *const system[] = {"-lm", "-ldl", "-lrt", "-lpthread"};
  char libraries[PATH_MAX];
  if (b->cc.gpu) {
    if (cs_cli_toolkit_libraries(b->toolkit, libraries) == 0)
      cs_cli_argv_pushf(to, "-L%s", libraries);
    cs_cli_argv_push(to, "-lcudart_static");
  } else
    cs_cli_argv_push(to, "-lcudart");
  CS_CLI_ARGV_PUSH_ALL(to, system);
}

/* Whether the argument is the CUDA runtime, by name or as a file. */
static int is_runtime(const char *argument) {
  static const char *const names[] = {"cudart", "cudart_static", "cudadevrt"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    size_t length = strlen(names[i]);
    const char *file = cs_cli_file_name(argument);
    if (!strncmp(argument, "-l", 2) && !strcmp(argument + 2, names[i]))
      return 1;
    if (!strncmp(file, "lib", 3) && !strncmp(file + 3, names[i], length) && file[3 + length] == '.')
      return 1;
  }
  return 0;
}

static int is_driver_file(const char *argument) {
  return strchr(argument, '/') && !strncmp(cs_cli_file_name(argument), "libcuda.so", 10);
}

/* libcusafe has functions with the same names, so the linker would omit a library that is linked as needed. */
static void push_cpu_library(struct cs_cli_argv *to, const struct cs_cli_build *b, const char *file) {
  cs_cli_argv_push(to, "-Wl,--push-state,--no-as-needed");
  cs_cli_argv_pushf(to, "%s/%s", b->paths.cpu, file);
  cs_cli_argv_push(to, "-Wl,--pop-state");
}

static void push_input(struct cs_cli_argv *to, const struct cs_cli_build *b, const char *argument) {
  const struct cs_cli_gpu_library *library = cpu_library(b, argument);
  if (library)
    push_cpu_library(to, b, library->file);
  else if (!b->cc.gpu && is_driver_file(argument))
    cs_cli_argv_push(to, "-lcuda");
  else if (b->cc.gpu || !is_runtime(argument))
    cs_cli_argv_push(to, argument);
}

/* For the CPU device, omits libraries that only a GPU computes and collects their names in `missing`, once each. */
static void push_inputs(struct cs_cli_argv *to, const struct cs_cli_build *b, struct cs_cli_argv *missing) {
  for (size_t i = 0; i < b->cc.link.count; i++) {
    const struct cs_cli_gpu_library *library = b->cc.gpu ? NULL : cs_cli_gpu_library(b->cc.link.items[i]);
    const char *title = library && !library->computes ? library->title : NULL;
    int known = 0;
    for (size_t m = 0; title && m < missing->count; m++)
      known |= !strcmp(missing->items[m], title);
    if (!title)
      push_input(to, b, b->cc.link.items[i]);
    else if (!known)
      cs_cli_argv_push(missing, title);
  }
}

static void report_missing(const struct cs_cli_argv *missing) {
  char *names = cs_cli_format("%s", "");
  for (size_t i = 0; i < missing->count; i++) {
    char *more = cs_cli_format("%s%s%s", names, i ? ", " : "", missing->items[i]);
    free(names);
    names = more;
  }
  cs_cli_fail(
      "the program needs %s, which NVIDIA provides for GPUs only: build with --device=gpu, or without that code.",
      names);
  free(names);
}

static int run_link(const struct cs_cli_build *b, struct cs_cli_argv *command, const struct cs_cli_argv *missing) {
  int status = cs_cli_step(b, command);
  if (status != 0) {
    cs_cli_explain(b, NULL);
    if (missing->count)
      report_missing(missing);
  } else if (b->cc.shared && missing->count)
    report_missing(missing); /* a shared library may lack symbols until it is loaded */
  return status;
}

int cs_cli_link_program(const struct cs_cli_build *b, const struct cs_cli_argv *objects) {
  struct cs_cli_argv command = {0}, missing = {0}, units = {0};
  int status = cs_cli_link_units(b, objects, &units);
  if (status == 0) {
    cs_cli_argv_push(&command, b->clang);
    cs_cli_argv_push(&command, "-Qunused-arguments");
    if (b->cc.verbose) /* CMake reads the linker's search path, and passes it to g++ where g++ links */
      cs_cli_argv_push(&command, "-v");
    push_cpu_folders(&command, b, &b->cc.link);
    push_libcusafe(&command, b); /* before a driver that the user links: the first definition wins */
    cs_cli_argv_append(&command, objects);
    cs_cli_argv_append(&command, &units);
    push_inputs(&command, b, &missing);
    push_cudart(&command, b);
    cs_cli_argv_push(&command, "-o");
    cs_cli_argv_push(&command, b->cc.output ? b->cc.output : "a.out");
    status = run_link(b, &command, &missing);
  }
  cs_cli_argv_free(&missing);
  cs_cli_argv_free(&units);
  return status;
}

static int is_runtime_or_cusafe(const char *argument) {
  return is_runtime(argument) || !strcmp(argument, "-l:" CUSAFE_SONAME);
}

static int is_driver(const char *argument) {
  return is_driver_file(argument) || !strcmp(argument, "-lcuda");
}

/* nvcc is `cusafe cc`, and adds the libraries itself. */
static int links(const struct cs_cli_argv *linker, int (*is_it)(const char *argument)) {
  int found = 0;
  for (size_t i = 1; i < linker->count; i++)
    found |= is_it(linker->items[i]);
  return found && !cs_cli_is_nvcc(linker->items[0]);
}

int cs_cli_link_with(const struct cs_cli_build *b) {
  const struct cs_cli_argv *linker = &b->cc.linker;
  struct cs_cli_argv command = {0};
  int runtime = links(linker, is_runtime_or_cusafe), edit = runtime || links(linker, is_driver);
  cs_cli_argv_push(&command, linker->items[0]);
  if (edit) {
    push_cpu_folders(&command, b, linker);
    push_libcusafe(&command, b);
  }
  for (size_t i = 1; i < linker->count; i++)
    if (!edit || b->cc.gpu)
      cs_cli_argv_push(&command, linker->items[i]);
    else
      push_input(&command, b, linker->items[i]);
  if (runtime && !b->cc.gpu)
    push_cudart(&command, b);
  return cs_cli_step(b, &command);
}

static int is_object(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && (!strcmp(dot, ".o") || !strcmp(dot, ".obj"));
}

int cs_cli_link_library(const struct cs_cli_build *b, const struct cs_cli_argv *objects) {
  struct cs_cli_argv command = {0};
  const char *output = b->cc.output ? b->cc.output : "a.a";
  cs_cli_argv_push(&command, "ar");
  cs_cli_argv_push(&command, "rcs");
  cs_cli_argv_push(&command, output);
  cs_cli_argv_append(&command, objects);
  for (size_t i = 0; i < b->cc.link.count; i++)
    if (is_object(b->cc.link.items[i]))
      cs_cli_argv_push(&command, b->cc.link.items[i]);
  unlink(output); /* ar adds to an existing archive */
  return cs_cli_step(b, &command);
}

int cs_cli_link_device(const struct cs_cli_build *b, const struct cs_cli_argv *objects) {
  static const char *const words[] = {"-r", "-nostdlib", "-o"};
  struct cs_cli_argv command = {0}, units = {0};
  int status = cs_cli_link_units(b, objects, &units);
  if (status == 0 && units.count == 0)
    status =
        cs_cli_fail("-dlink: none of the files was compiled with -dc or -rdc=true; there is no device code to link.");
  if (status == 0) {
    cs_cli_argv_push(&command, b->clang);
    CS_CLI_ARGV_PUSH_ALL(&command, words);
    cs_cli_argv_push(&command, b->cc.output ? b->cc.output : "a_dlink.o");
    cs_cli_argv_append(&command, &units);
    status = cs_cli_step(b, &command);
  }
  cs_cli_argv_free(&units);
  return status;
}
