/* cc.c: `cusafe cc`: compiles and links CUDA programs, with checks, for a GPU or for the CPU device. */
#include "cli/cc_args.h"
#include "cli/command.h"
#include "cli/paths.h"
#include "cli/process.h"
#include "cli/tempdir.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: cusafe cc [OPTIONS] [clang or nvcc arguments] FILES\n\n"
    "Compiles .cu, .cpp and .c files and links them with objects into a program whose device code is checked.\n\n"
    "  --device=cpu|gpu         what the program runs on (default: cpu, needs no GPU)\n"
    "  --bare                   without checks and without libcusafe, to compare\n"
    "  --arch=sm_80,sm_90       GPU architectures (default: sm_80)\n"
    "  --metadata=table|window  where a buffer's size is kept (default: table); give it to the link, too\n"
    "  --cuda-path=DIR          the CUDA toolkit (default: CUDA_PATH, CUDA_HOME, /usr/local/cuda)\n"
    "  --keep                   keep the intermediate files, and say where\n"
    "  -v, --verbose            show each command\n"
    "  -o, -c, -O, -g, -I, ...  as for clang; nvcc's -arch, -gencode, -Xcompiler and others are understood\n\n"
    "Device code is compiled with -O2 unless an -O is given, and always with line tables. CUSAFE_CLANG names another\n"
    "clang++ 22.\n";

/* All that the steps need to know. */
struct build {
  struct cs_cc cc;
  struct cs_paths paths;
  char clang[PATH_MAX], toolkit[PATH_MAX];
  const char *temp;
};

static int need_file(const char *folder, const char *name) {
  char path[PATH_MAX];
  if (cs_join(path, folder, name) == 0 && cs_is_file(path))
    return 0;
  return cs_fail("its own file %s/%s is missing: install CuSafe again.", folder, name), -1;
}

static const char *runtime_name(const struct build *b) {
  return b->cc.window ? "device/check-window.bc" : "device/check-table.bc";
}

/* Says what is missing before the first step, in one sentence. */
static int check_files(const struct build *b) {
  int links = !b->cc.compile_only && !b->cc.one_step;
  if (!b->cc.bare && (need_file(b->paths.private, "cusafe-pass.so") || need_file(b->paths.private, runtime_name(b)) ||
                      (links && need_file(b->paths.lib, "libcusafe.so"))))
    return -1;
  if (b->cc.gpu)
    return 0;
  return need_file(b->paths.private, "cusafe-retarget") || (links && need_file(b->paths.cpu, "libcudart.so")) ? -1 : 0;
}

/* Runs and frees a command. */
static int step(const struct build *b, struct cs_argv *command) {
  int status = cs_run(command->items, b->cc.verbose);
  cs_argv_free(command);
  return status;
}

static void push_cuda(struct cs_argv *to, const struct build *b) {
  cs_argv_push(to, "-x");
  cs_argv_push(to, "cuda");
  cs_argv_pushf(to, "--cuda-path=%s", b->toolkit);
  cs_argv_push(to, "-Wno-unknown-cuda-version");
}

/* Headers that nvcc finds by itself. */
static void push_headers(struct cs_argv *to, const struct build *b, enum cs_language language) {
  if (language != CS_LANGUAGE_C) {
    cs_argv_push(to, "-isystem");
    cs_argv_pushf(to, "%s/include/cccl", b->toolkit);
  }
  if (language != CS_LANGUAGE_CUDA) {
    cs_argv_push(to, "-isystem");
    cs_argv_pushf(to, "%s/include", b->toolkit);
  }
}

/* libdw finds a compilation unit by the address ranges, which clang leaves out: without them, host stacks have no lines. */
static void push_host(struct cs_argv *to, const struct build *b) {
  cs_argv_push(to, "-Xarch_host");
  cs_argv_push(to, "-gdwarf-aranges");
  cs_argv_append(to, &b->cc.host);
}

static void push_common(struct cs_argv *to, const struct build *b) {
  if (!b->cc.debug)
    cs_argv_push(to, "-gline-tables-only");
  cs_argv_push(to, "-Qunused-arguments");
  cs_argv_append(to, &b->cc.compile);
}

/* -load makes the plugin's options known before they are parsed; -fpass-plugin puts it into the pipeline. */
static void push_pass(struct cs_argv *to, const struct build *b) {
  if (b->cc.bare)
    return;
  cs_argv_pushf(to, "-fpass-plugin=%s/cusafe-pass.so", b->paths.private);
  cs_argv_push(to, "-Xclang");
  cs_argv_push(to, "-load");
  cs_argv_push(to, "-Xclang");
  cs_argv_pushf(to, "%s/cusafe-pass.so", b->paths.private);
  cs_argv_push(to, "-mllvm");
  cs_argv_pushf(to, "-cusafe-runtime=%s/%s", b->paths.private, runtime_name(b));
  if (b->cc.window) {
    cs_argv_push(to, "-mllvm");
    cs_argv_push(to, "-cusafe-metadata=window");
  }
}

/* What the checks want from clang on the device side: the variables' names, their scopes also at -O0, and its own checks of
 * indices into arrays, which the pass turns into ours. The driver offers none of it for NVPTX, so it goes to the compiler. */
static void push_checks(struct cs_argv *to, const struct build *b) {
  static const char *const flags[] = {"-fsanitize-address-use-after-scope", "-fsanitize=array-bounds",
                                      "-fsanitize-recover=array-bounds"};
  if (b->cc.bare) {
    cs_argv_push(to, "-include"); /* with nvcc, new and delete need no header */
    cs_argv_push(to, "new");
    return;
  }
  cs_argv_push(to, "-fno-discard-value-names");
  cs_argv_push(to, "-fstrict-flex-arrays=1"); /* only a last member of length 0 or 1 may be longer than it says */
  for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
    cs_argv_push(to, "-Xclang");
    cs_argv_push(to, flags[i]);
  }
}

/* Line tables have only the short names of functions. With this they have the full ones, so that reports can tell overloads
 * apart; the driver does not offer it for NVPTX, so it goes to the compiler directly. */
static void push_full_names(struct cs_argv *to) {
  cs_argv_push(to, "-Xclang");
  cs_argv_push(to, "-fdebug-info-for-profiling");
}

/* The device side for one architecture, as LLVM bitcode or as PTX. */
enum form { BITCODE, PTX };
static int compile_device(const struct build *b, const char *source, const char *arch, enum form form,
                          const char *output) {
  struct cs_argv command = {0};
  cs_argv_push(&command, b->clang);
  push_cuda(&command, b);
  cs_argv_push(&command, "--cuda-device-only");
  cs_argv_pushf(&command, "--offload-arch=%s", arch);
  if (form == BITCODE)
    cs_argv_push(&command, "-emit-llvm");
  cs_argv_push(&command, form == BITCODE ? "-c" : "-S");
  if (!b->cc.optimize)
    cs_argv_push(&command, "-O2");
  push_full_names(&command);
  push_common(&command, b);
  push_headers(&command, b, CS_LANGUAGE_CUDA);
  push_checks(&command, b);
  push_pass(&command, b);
  cs_argv_push(&command, source);
  cs_argv_push(&command, "-o");
  cs_argv_push(&command, output);
  return step(b, &command);
}

static int retarget(const struct build *b, const char *bitcode, const char *image) {
  struct cs_argv command = {0};
  cs_argv_pushf(&command, "%s/cusafe-retarget", b->paths.private);
  cs_argv_push(&command, bitcode);
  cs_argv_push(&command, "-o");
  cs_argv_push(&command, image);
  return step(b, &command);
}

/* The host side of a .cu file, with the image in it unless that is NULL. output may be NULL for -E and the like. */
static int compile_host(const struct build *b, const char *source, const char *image, const char *output) {
  struct cs_argv command = {0};
  cs_argv_push(&command, b->clang);
  push_cuda(&command, b);
  cs_argv_push(&command, "--cuda-host-only");
  if (image) {
    const char *const embed[] = {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", image, "-c"};
    for (size_t i = 0; i < sizeof embed / sizeof *embed; i++)
      cs_argv_push(&command, embed[i]);
  }
  push_common(&command, b);
  push_host(&command, b);
  push_headers(&command, b, CS_LANGUAGE_CUDA);
  cs_argv_push(&command, source);
  if (output) {
    cs_argv_push(&command, "-o");
    cs_argv_push(&command, output);
  }
  return step(b, &command);
}

static int compile_cuda_for_cpu(const struct build *b, const char *source, size_t number, const char *output) {
  char *bitcode = cs_format("%s/%zu.bc", b->temp, number);
  char *image = cs_format("%s/%zu.img", b->temp, number);
  int status = compile_device(b, source, b->cc.cpu_arch ? b->cc.cpu_arch : "sm_80", BITCODE, bitcode);
  if (status == 0)
    status = retarget(b, bitcode, image);
  if (status == 0)
    status = compile_host(b, source, image, output);
  free(bitcode);
  free(image);
  return status;
}

static int assemble(const struct build *b, const char *arch, const char *ptx, const char *cubin) {
  struct cs_argv command = {0};
  cs_argv_pushf(&command, "%s/bin/ptxas", b->toolkit);
  cs_argv_pushf(&command, "--gpu-name=%s", arch);
  cs_argv_push(&command, b->cc.debug ? "-g" : "-lineinfo");
  cs_argv_push(&command, ptx);
  cs_argv_push(&command, "-o");
  cs_argv_push(&command, cubin);
  return step(b, &command);
}

/* Machine code for every architecture, and PTX for those to come, in one container. */
static int make_fatbin(const struct build *b, const char *source, size_t number, const char *fatbin) {
  struct cs_argv container = {0};
  int status = 0;
  cs_argv_pushf(&container, "%s/bin/fatbinary", b->toolkit);
  cs_argv_push(&container, "-64");
  cs_argv_pushf(&container, "--create=%s", fatbin);
  for (size_t i = 0; i < b->cc.archs.count && status == 0; i++) {
    const char *arch = b->cc.archs.items[i];
    char *ptx = cs_format("%s/%zu.%s.ptx", b->temp, number, arch),
         *cubin = cs_format("%s/%zu.%s.cubin", b->temp, number, arch);
    status = compile_device(b, source, arch, PTX, ptx);
    if (status == 0)
      status = assemble(b, arch, ptx, cubin);
    cs_argv_pushf(&container, "--image3=kind=elf,sm=%s,file=%s", arch + strcspn(arch, "0123456789"), cubin);
    cs_argv_pushf(&container, "--image3=kind=ptx,sm=%s,file=%s", arch + strcspn(arch, "0123456789"), ptx);
    free(ptx);
    free(cubin);
  }
  if (status == 0)
    return step(b, &container);
  cs_argv_free(&container);
  return status;
}

static int compile_cuda_for_gpu(const struct build *b, const char *source, size_t number, const char *output) {
  char *fatbin = cs_format("%s/%zu.fatbin", b->temp, number);
  int status = make_fatbin(b, source, number, fatbin);
  if (status == 0)
    status = compile_host(b, source, fatbin, output);
  free(fatbin);
  return status;
}

/* Relocatable device code is clang's own affair: one call does both sides. */
static int compile_relocatable_for_gpu(const struct build *b, const char *source, const char *output) {
  struct cs_argv command = {0};
  cs_argv_push(&command, b->clang);
  push_cuda(&command, b);
  for (size_t i = 0; i < b->cc.archs.count; i++)
    cs_argv_pushf(&command, "--offload-arch=%s", b->cc.archs.items[i]);
  cs_argv_push(&command, "-fgpu-rdc");
  cs_argv_push(&command, "-c");
  if (!b->cc.optimize)
    cs_argv_push(&command, "-O2");
  push_full_names(&command);
  push_common(&command, b);
  push_host(&command, b);
  push_headers(&command, b, CS_LANGUAGE_CUDA);
  cs_argv_push(&command, source);
  cs_argv_push(&command, "-o");
  cs_argv_push(&command, output);
  return step(b, &command);
}

static int compile_plain(const struct build *b, const struct cs_cc_source *source, const char *output) {
  struct cs_argv command = {0};
  cs_argv_push(&command, b->clang);
  cs_argv_push(&command, "-x");
  cs_argv_push(&command, source->language == CS_LANGUAGE_C ? "c" : "c++");
  if (!b->cc.one_step)
    cs_argv_push(&command, "-c");
  push_common(&command, b);
  push_host(&command, b);
  push_headers(&command, b, source->language);
  cs_argv_push(&command, source->path);
  if (output) {
    cs_argv_push(&command, "-o");
    cs_argv_push(&command, output);
  }
  return step(b, &command);
}

static int compile_source(const struct build *b, size_t number, const char *output) {
  const struct cs_cc_source *source = &b->cc.sources[number];
  if (source->language != CS_LANGUAGE_CUDA)
    return compile_plain(b, source, output);
  if (b->cc.one_step)
    return compile_host(b, source->path, NULL, output);
  if (b->cc.gpu && b->cc.relocatable)
    return compile_relocatable_for_gpu(b, source->path, output);
  if (b->cc.gpu)
    return compile_cuda_for_gpu(b, source->path, number, output);
  return compile_cuda_for_cpu(b, source->path, number, output);
}

/* The file that -c makes: the source's name, here, ending in .o. */
static char *object_name(const char *source) {
  const char *slash = strrchr(source, '/'), *name = slash ? slash + 1 : source;
  const char *dot = strrchr(name, '.');
  return cs_format("%.*s.o", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static int compile_only(const struct build *b) {
  int status = 0;
  for (size_t i = 0; i < b->cc.source_count && status == 0; i++) {
    char *name = b->cc.output     ? cs_format("%s", b->cc.output)
                 : b->cc.one_step ? NULL
                                  : object_name(b->cc.sources[i].path);
    status = compile_source(b, i, name);
    free(name);
  }
  return status;
}

static void push_rpath(struct cs_argv *to, const char *folder) {
  const char *const words[] = {"-Xlinker", "-rpath", "-Xlinker", folder};
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    cs_argv_push(to, words[i]);
}

/* A symbol that libcusafe looks for in the program, to learn how the program was built. */
static void push_fact(struct cs_argv *to, const char *name) {
  cs_argv_pushf(to, "-Wl,--defsym=%s=1", name);
  cs_argv_pushf(to, "-Wl,--export-dynamic-symbol=%s", name);
}

static void push_libcusafe(struct cs_argv *to, const struct build *b) {
  if (b->cc.bare)
    return;
  cs_argv_push(to, "-Wl,--push-state,--no-as-needed");
  cs_argv_pushf(to, "-L%s", b->paths.lib);
  cs_argv_push(to, "-lcusafe");
  cs_argv_push(to, "-Wl,--pop-state");
  push_rpath(to, b->paths.lib);
  if (b->cc.window)
    push_fact(to, "__cusafe_metadata_window");
  if (b->cc.gpu)
    push_fact(to, "__cusafe_device_gpu");
}

static void push_cudart(struct cs_argv *to, const struct build *b) {
  const char *const system[] = {"-lm", "-ldl", "-lrt", "-lpthread"};
  if (b->cc.gpu) {
    cs_argv_pushf(to, "-L%s/lib64", b->toolkit);
    cs_argv_push(to, "-lcudart_static");
  } else {
    cs_argv_push(to, "-lcudart");
    push_rpath(to, b->paths.cpu);
  }
  for (size_t i = 0; i < sizeof system / sizeof *system; i++)
    cs_argv_push(to, system[i]);
}

static int link_program(const struct build *b, const struct cs_argv *objects) {
  struct cs_argv command = {0};
  cs_argv_push(&command, b->clang);
  if (b->cc.relocatable) {
    cs_argv_push(&command, "--offload-link");
    cs_argv_pushf(&command, "--cuda-path=%s", b->toolkit);
  }
  cs_argv_push(&command, "-Qunused-arguments");
  if (!b->cc.gpu) /* before the program's own folders, which may have another libcudart or libcuda */
    cs_argv_pushf(&command, "-L%s", b->paths.cpu);
  cs_argv_append(&command, objects);
  cs_argv_append(&command, &b->cc.link);
  push_libcusafe(&command, b);
  push_cudart(&command, b);
  cs_argv_push(&command, "-o");
  cs_argv_push(&command, b->cc.output ? b->cc.output : "a.out");
  return step(b, &command);
}

static int compile_and_link(const struct build *b) {
  struct cs_argv objects = {0};
  int status = 0;
  for (size_t i = 0; i < b->cc.source_count && status == 0; i++) {
    cs_argv_pushf(&objects, "%s/%zu.o", b->temp, i);
    status = compile_source(b, i, objects.items[i]);
  }
  if (status == 0)
    status = link_program(b, &objects);
  cs_argv_free(&objects);
  return status;
}

static int prepare(struct build *b) {
  if (cs_paths_find(&b->paths) || cs_find_clang(b->clang, NULL) || cs_find_toolkit(b->cc.cuda_path, b->toolkit) ||
      check_files(b))
    return -1;
  for (size_t i = 0; i < b->cc.source_count; i++)
    if (access(b->cc.sources[i].path, R_OK) != 0)
      return cs_fail("there is no file %s, or it cannot be read.", b->cc.sources[i].path), -1;
  b->temp = cs_tempdir(b->cc.keep);
  return b->temp ? 0 : -1;
}

static int build(struct build *b) {
  if (prepare(b) != 0)
    return 1;
  return b->cc.compile_only || b->cc.one_step ? compile_only(b) : compile_and_link(b);
}

int cs_command_cc(int argc, char **argv) {
  static struct build b; /* its paths are too large for a comfortable stack frame */
  int status = 1;
  if (cs_cc_parse(&b.cc, argc, argv) == 0) {
    if (b.cc.help)
      status = fputs(help, stdout) < 0;
    else
      status = build(&b);
  }
  cs_cc_free(&b.cc);
  return status;
}
