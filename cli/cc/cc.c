/* cc.c: `cusafe cc`: compiles and links CUDA programs, with checks, for a GPU or for the CPU device. */
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/shim.h"
#include "cli/base/tempdir.h"
#include "cli/cc/build.h"
#include "cli/cc/device.h"
#include "cli/cc/expand.h"
#include "cli/cc/explain.h"
#include "cli/cc/host.h"
#include "cli/cc/identity.h"
#include "cli/cc/launches.h"
#include "cli/cc/link.h"
#include "cli/cc/units.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: cusafe cc [OPTIONS] [clang or nvcc arguments] FILES\n\n"
    "Compiles .cu, .cpp and .c files and links them with objects into a program whose device code is\n"
    "checked.\n\n"
    "  --device=cpu|gpu         device to compile for (default: cpu, which needs no GPU)\n"
    "  --bare                   no checks and no libcusafe, for comparison\n"
    "  --arch=sm_80,sm_90       GPU architectures (default: sm_80)\n"
    "  --metadata=table|window  where a buffer's metadata word is stored (default: table); pass the same\n"
    "                           value to the link\n"
    "  --eliminate=LIST         redundant checks to eliminate: all (default), none, or any of\n"
    "                           ranges,launch,loops\n"
    "  --ignorelist=FILE        functions and files not to check: lines fun:PATTERN and src:PATTERN\n"
    "  --detect=LIST            errors to look for: memory (always); on the CPU device race (data races),\n"
    "                           sync (divergent barriers), init (uses of uninitialised memory); or all\n"
    "  --skip=LIST              checks to omit: any of\n"
    "                           fields,scopes,alignment,local,shared,variables\n"
    "  --statistics             print how many accesses and checks each device function has, and each\n"
    "                           access that is not checked because its bounds are unknown\n"
    "  --count                  count the checks that are executed, for `cusafe run --summary`; slows the\n"
    "                           program down\n"
    "  --sampled                give kernels a form without checks as well, for the option sample of\n"
    "                           `cusafe run`; the device code grows\n"
    "  --print-after=STEP       print the IR of the device code after this step of the pass, on stderr\n"
    "  --stop-after=STEP        run no step of the pass after this one; for --device=gpu -ptx\n"
    "  --cuda-path=DIR          CUDA toolkit (default: CUDA_PATH, CUDA_HOME, /usr/local/cuda)\n"
    "  --instead-of COMPILER    can be prepended to another compiler's command line; if that is not nvcc,\n"
    "                           nvcc's macros such as __NVCC__ are not defined\n"
    "  --link-with LINKER ...   run this linker; if it links the CUDA runtime or driver, with libcusafe\n"
    "                           and the device's (all arguments that follow are the linker's)\n"
    "  --explain                after a failure, print whether clang or CuSafe rejects the source, and\n"
    "                           what to do\n"
    "  --keep                   keep the intermediate files and print where they are\n"
    "  --keep-dir DIR           where --keep creates their folder (default: TMPDIR, /tmp)\n"
    "  -v, --verbose            print each command, and each access whose bounds are unknown\n"
    "  --help                   print this help\n"
    "  -o, -c, -O, -g, -I, ...  as in clang; also accepts the options of nvcc: -arch, -gencode,\n"
    "                           -Xcompiler, -rdc=true, -dc, -dlink, -lib, -ptx, -cubin, @FILE and others\n\n"
    "Device code is compiled with -O2 unless another -O is given, and always with line tables. With -g,\n"
    "the image for the CPU device also contains code for a debugger: see debugger in `cusafe run --help`.\n"
    "CUSAFE_CLANG selects another clang++ 22. CUSAFE_CC_FLAGS holds arguments to prepend; nvcc's\n"
    "variables NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS are honoured. Invoked as nvcc, cusafe behaves\n"
    "as `cusafe cc`.\n";

static int need_file(const char *folder, const char *name) {
  char path[PATH_MAX];
  if (cs_cli_join(path, folder, name) == 0 && cs_cli_is_file(path))
    return 0;
  return cs_cli_fail("the CuSafe installation is incomplete: %s/%s is missing; reinstall CuSafe.", folder, name), -1;
}

static int links(const struct cs_cli_build *b) {
  return b->cc.make == CS_CLI_MAKE_PROGRAM;
}

/* Reports a missing file before the first step runs. */
static int check_files(const struct cs_cli_build *b) {
  if (need_file(b->paths.private, "cusafe-pass.so"))
    return -1;
  if (!b->cc.bare &&
      (need_file(b->paths.private, cs_cli_runtime_name(b)) || (links(b) && need_file(b->paths.lib, CUSAFE_SONAME))))
    return -1;
  if (b->cc.gpu)
    return 0;
  return need_file(b->paths.private, "cusafe-retarget") || (links(b) && need_file(b->paths.cpu, "libcudart.so")) ? -1
                                                                                                                 : 0;
}

static int make_from_source(const struct cs_cli_build *b, const void *source, const char *arch, enum cs_cli_form form,
                            const char *output) {
  return cs_cli_compile_device(b, source, NULL, arch, form, output);
}

static int compile_cuda(const struct cs_cli_build *b, const char *source, size_t number, const char *output) {
  char *stem = cs_cli_format("%zu", number), *image = cs_cli_format("%s/%zu.img", b->temp, number);
  int status = cs_cli_make_image(b, make_from_source, source, stem, image);
  if (status == 0)
    status = cs_cli_compile_host(b, source, image, output);
  free(stem);
  free(image);
  return status;
}

static int compile_one(const struct cs_cli_build *b, size_t number, const char *output) {
  const struct cs_cli_cc_source *source = &b->cc.sources[number];
  if (source->language != CS_CLI_LANGUAGE_CUDA)
    return cs_cli_compile_plain(b, source, output);
  if (b->cc.one_step)
    return cs_cli_compile_host(b, source->path, NULL, output);
  if (b->cc.relocatable)
    return cs_cli_compile_unit(b, source->path, number, output);
  return compile_cuda(b, source->path, number, output);
}

/* -ptx, -cubin, -fatbin: the device code alone. For the CPU device each of them is its image, which cuModuleLoad
 * accepts. */
static int compile_module(const struct cs_cli_build *b, size_t number, const char *output) {
  const char *source = b->cc.sources[number].path, *arch = b->cc.archs.items[0];
  char *stem = cs_cli_format("%zu", number), *ptx = cs_cli_format("%s/%zu.ptx", b->temp, number);
  int status;
  if (!b->cc.gpu || b->cc.make == CS_CLI_MAKE_FATBIN)
    status = cs_cli_make_image(b, make_from_source, source, stem, output);
  else if (b->cc.make == CS_CLI_MAKE_PTX)
    status = cs_cli_compile_device(b, source, NULL, arch, CS_CLI_FORM_PTX, output);
  else {
    status = cs_cli_compile_device(b, source, NULL, arch, CS_CLI_FORM_PTX, ptx);
    if (status == 0)
      status = cs_cli_assemble(b, arch, ptx, output);
  }
  free(stem);
  free(ptx);
  return status;
}

static int compile_source(const struct cs_cli_build *b, size_t number, const char *output) {
  int module = b->cc.make == CS_CLI_MAKE_PTX || b->cc.make == CS_CLI_MAKE_CUBIN || b->cc.make == CS_CLI_MAKE_FATBIN;
  int status = module ? compile_module(b, number, output) : compile_one(b, number, output);
  if (status != 0) {
    cs_cli_cc_suggest(&b->cc);
    cs_cli_explain(b, &b->cc.sources[number]);
  }
  return status;
}

/* The source's name with the extension of the output, in the current folder or in -odir. */
static char *output_name(const struct cs_cli_build *b, const char *source) {
  static const char *const extensions[] = {[CS_CLI_MAKE_OBJECT] = "o",
                                           [CS_CLI_MAKE_PTX] = "ptx",
                                           [CS_CLI_MAKE_CUBIN] = "cubin",
                                           [CS_CLI_MAKE_FATBIN] = "fatbin"};
  const char *name = cs_cli_file_name(source), *dot = strrchr(name, '.'), *folder = b->cc.output_folder;
  return cs_cli_format("%s%s%.*s.%s", folder ? folder : "", folder ? "/" : "",
                       dot ? (int)(dot - name) : (int)strlen(name), name, extensions[b->cc.make]);
}

static int compile_only(const struct cs_cli_build *b) {
  int status = 0;
  for (size_t i = 0; i < b->cc.source_count && status == 0; i++) {
    const char *source = b->cc.sources[i].path;
    char *name = b->cc.output         ? cs_cli_format("%s", b->cc.output)
                 : b->cc.intermediate ? cs_cli_format("%s.cpp.ii", source)
                 : b->cc.one_step     ? NULL
                                      : output_name(b, source);
    status = compile_source(b, i, name);
    free(name);
  }
  return status;
}

/* Members of a library are identified by their names, so objects are named after their sources. */
static void push_object(const struct cs_cli_build *b, size_t number, struct cs_cli_argv *objects) {
  const char *name = cs_cli_file_name(b->cc.sources[number].path);
  cs_cli_argv_pushf(objects, "%s/%zu-%.*s.o", b->temp, number, (int)strcspn(name, "."), name);
}

static int compile_and_link(const struct cs_cli_build *b) {
  struct cs_cli_argv objects = {0};
  int status = 0;
  for (size_t i = 0; i < b->cc.source_count && status == 0; i++) {
    push_object(b, i, &objects);
    status = compile_source(b, i, objects.items[i]);
  }
  if (status == 0)
    status = b->cc.make == CS_CLI_MAKE_LIBRARY       ? cs_cli_link_library(b, &objects)
             : b->cc.make == CS_CLI_MAKE_DEVICE_LINK ? cs_cli_link_device(b, &objects)
                                                     : cs_cli_link_program(b, &objects);
  cs_cli_argv_free(&objects);
  return status;
}

/* As nvcc, from a folder of `cusafe toolkit`: the toolkit that the folder was created from, whatever the environment
 * names. */
static int find_toolkit(struct cs_cli_build *b) {
  if (!b->cc.cuda_path && cs_cli_shim_toolkit(b->program, b->toolkit) == 0)
    return 0;
  return cs_cli_find_toolkit(b->cc.cuda_path, b->toolkit);
}

static int prepare(struct cs_cli_build *b) {
  if (cs_cli_paths_find(&b->paths) || cs_cli_find_clang(b->clang, NULL) || find_toolkit(b) || check_files(b))
    return -1;
  cs_cli_identity_top(b);
  for (size_t i = 0; i < b->cc.source_count; i++)
    if (access(b->cc.sources[i].path, R_OK) != 0)
      return cs_cli_fail("cannot read %s: %s.", b->cc.sources[i].path, strerror(errno)), -1;
  b->temp = b->cc.keep ? cs_cli_kept_tempdir(b->cc.keep_dir) : cs_cli_tempdir();
  return b->temp ? cs_cli_launches_prepare(b) : -1;
}

static int build(struct cs_cli_build *b) {
  if (prepare(b) != 0)
    return 1;
  int asked = cs_cli_identity_asked(b);
  int joins =
      b->cc.make == CS_CLI_MAKE_PROGRAM || b->cc.make == CS_CLI_MAKE_LIBRARY || b->cc.make == CS_CLI_MAKE_DEVICE_LINK;
  int status = joins && !b->cc.one_step ? compile_and_link(b) : compile_only(b);
  if (asked && status == 0)
    cs_cli_identity_show(b);
  return status;
}

/* Makefiles search nvcc's output for the release, so the wording is nvcc's. */
static int print_version(struct cs_cli_build *b) {
  if (find_toolkit(b) != 0)
    return 1;
  int version = cs_cli_toolkit_version(b->toolkit);
  printf("cusafe cc, in place of nvcc: NVIDIA (R) Cuda compiler driver\n"
         "Cuda compilation tools, release %d.%d, V%d.%d.0\n",
         version / 1000, version % 1000 / 10, version / 1000, version % 1000 / 10);
  return 0;
}

/* Build systems choose among nvcc's architectures: those of CUDA 13. */
static int print_architectures(const char *kind) {
  static const int numbers[] = {75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121};
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    printf("%s_%d\n", kind, numbers[i]);
  return 0;
}

int cs_cli_command_cc(int argc, char **argv) {
  static struct cs_cli_overlay overlay;
  static struct cs_cli_build b = {.overlay = &overlay}; /* static: its paths are large for a stack frame */
  struct cs_cli_argv all = {0};
  int status = 1;
  if (cs_cli_cc_expand(argc, argv, &all) == 0 && cs_cli_cc_parse(&b.cc, (int)all.count, all.items) == 0) {
    b.program = argv[0];
    if (b.cc.help)
      status = fputs(help, stdout) < 0;
    else if (b.cc.list)
      status = print_architectures(b.cc.list);
    else if (b.cc.linker.count)
      status = cs_cli_paths_find(&b.paths) ? 1 : cs_cli_link_with(&b);
    else if (b.cc.asks_host)
      status = cs_cli_find_clang(b.clang, NULL) ? 1 : cs_cli_ask_host(&b);
    else
      status = b.cc.version ? print_version(&b) : build(&b);
  }
  cs_cli_cc_free(&b.cc);
  cs_cli_argv_free(&all);
  return status;
}
