/* lift.c: `cusafe lift`: from PTX to checked PTX, to an image for the CPU device, or to IR. */
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/tempdir.h"
#include "cli/cc/build.h"
#include "cli/cc/device.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "usage: cusafe lift [OPTIONS] INPUT.ptx... -o OUTPUT\n\n"
    "Adds checks to PTX that nvcc, NVRTC or another compiler has written, and links several inputs as\n"
    "`nvcc -dlink` does. The ending of OUTPUT selects what is written: .ptx, PTX for a GPU; .img, an\n"
    "image for the CPU device, which cuModuleLoad accepts there; .bc or .ll, LLVM IR. PTX with line\n"
    "information (nvcc -lineinfo) gives reports their source lines.\n\n"
    "  --bare                   no checks\n"
    "  --arch=sm_90             GPU architecture (default: the .target of the PTX)\n"
    "  --metadata=table|window  where a buffer's metadata word is stored (default: table)\n"
    "  --eliminate=LIST         redundant checks to eliminate: all (default), none, or any of\n"
    "                           ranges,launch,loops\n"
    "  --ignorelist=FILE        functions and files not to check: lines fun:PATTERN and src:PATTERN\n"
    "  --detect=LIST            errors to look for: memory (always); in an image race (data races), sync\n"
    "                           (divergent barriers), init (uses of uninitialised memory); all\n"
    "  --skip=LIST              checks to omit: any of\n"
    "                           fields,scopes,alignment,local,shared,variables\n"
    "  --statistics             print how many accesses and checks each device function has, and each\n"
    "                           access that is not checked because its bounds are unknown\n"
    "  --print-after=STEP       print the IR after this step of lifting or of the pass, on stderr\n"
    "  --part                   for .img: variables that the PTX declares as .extern are another module's\n"
    "  --cuda-path=DIR          CUDA toolkit (default: CUDA_PATH, CUDA_HOME, /usr/local/cuda)\n"
    "  --keep                   keep the intermediate files and print where they are\n"
    "  --keep-dir DIR           where --keep creates their folder (default: TMPDIR, /tmp)\n"
    "  -v, --verbose            print each command, and each access whose bounds are unknown\n"
    "  --help                   print this help\n\n"
    "A construct that cannot be lifted is an error, with its line and name. CUSAFE_CLANG selects another\n"
    "clang++ 22.\n";

#define NO_INPUT "name a PTX file to lift; see `cusafe lift --help`."

/* What is written, by the ending of its name. */
static const struct output {
  const char *ending;
  enum cs_cli_form form;
  int is_image;
} outputs[] = {{".ptx", CS_CLI_FORM_PTX, 0},
               {".img", CS_CLI_FORM_BITCODE, 1},
               {".bc", CS_CLI_FORM_BITCODE, 0},
               {".ll", CS_CLI_FORM_IR, 0}};

static int ends_with(const char *text, const char *ending) {
  size_t length = strlen(text), end = strlen(ending);
  return length > end && strcmp(text + length - end, ending) == 0;
}

static const struct output *output_of(const char *path) {
  for (size_t i = 0; path && i < sizeof outputs / sizeof *outputs; i++)
    if (ends_with(path, outputs[i].ending))
      return &outputs[i];
  return NULL;
}

/* `cusafe cc` would report an empty command line in its own words. */
static int names_something(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-o") == 0)
      i++;
    else if (argv[i][0] != '-' || strcmp(argv[i], "--help") == 0)
      return 1;
  }
  return 0;
}

/* The arguments that are no options: `cusafe cc` takes them for objects. NULL unless all are PTX files. */
static const struct cs_cli_argv *inputs_of(const struct cs_cli_cc *cc) {
  for (size_t i = 0; i < cc->link.count; i++)
    if (!ends_with(cc->link.items[i], ".ptx"))
      return NULL;
  return cc->source_count || !cc->link.count ? NULL : &cc->link;
}

/* The architecture of the PTX; without one, the default. */
static void use_target(struct cs_cli_cc *cc, const char *input, char arch[32]) {
  char line[512];
  FILE *in = fopen(input, "r");
  while (in && fgets(line, sizeof line, in) && sscanf(line, " .target %31[a-z0-9_]", arch) != 1)
    ;
  if (in)
    fclose(in);
  if (*arch && !cc->cpu_arch) {
    cs_cli_argv_free(&cc->archs);
    cs_cli_argv_push(&cc->archs, arch);
  }
}

/* Takes the name out of --print-after if it is a step of lifting; otherwise the pass gets it. NULL: it is none. */
static const char *take_print_after(struct cs_cli_cc *cc) {
  static const char *const steps[] = {
#define CS_LIFT_STEP(phase, name, function, reason) name,
#include "lift/steps.inc"
#undef CS_LIFT_STEP
  };
  const char *name = cc->print_after;
  for (size_t i = 0; name && i < sizeof steps / sizeof *steps; i++)
    if (strcmp(steps[i], name) == 0)
      return cc->print_after = NULL, name;
  return NULL;
}

static int lift(const struct cs_cli_build *b, const struct cs_cli_argv *inputs, const char *print_after,
                const char *output) {
  struct cs_cli_argv command = {0};
  const char *const words[] = {"-o", output};
  cs_cli_argv_pushf(&command, "%s/cusafe-lift", b->paths.private);
  if (print_after)
    cs_cli_argv_pushf(&command, "--print-after=%s", print_after);
  cs_cli_argv_append(&command, inputs);
  CS_CLI_ARGV_PUSH_ALL(&command, words);
  return cs_cli_step(b, &command);
}

static int make_from_bitcode(const struct cs_cli_build *b, const void *bitcode, const char *arch, enum cs_cli_form form,
                             const char *output) {
  struct cs_cli_argv bitcodes = {0};
  cs_cli_argv_push(&bitcodes, bitcode);
  int status = cs_cli_compile_units(b, &bitcodes, arch, form, output);
  cs_cli_argv_free(&bitcodes);
  return status;
}

static int write_output(const struct cs_cli_build *b, const struct output *output, const char *bitcode) {
  return output->is_image ? cs_cli_make_image(b, make_from_bitcode, bitcode, "checked", b->cc.output)
                          : make_from_bitcode(b, bitcode, b->cc.archs.items[0], output->form, b->cc.output);
}

static int prepare(struct cs_cli_build *b, const struct cs_cli_argv *inputs) {
  if (cs_cli_paths_find(&b->paths) || cs_cli_find_clang(b->clang, NULL) ||
      cs_cli_find_toolkit(b->cc.cuda_path, b->toolkit))
    return -1;
  for (size_t i = 0; i < inputs->count; i++)
    if (access(inputs->items[i], R_OK) != 0)
      return cs_cli_fail("cannot read %s: %s.", inputs->items[i], strerror(errno)), -1;
  b->temp = b->cc.keep ? cs_cli_kept_tempdir(b->cc.keep_dir) : cs_cli_tempdir();
  return b->temp ? 0 : -1;
}

static int run(struct cs_cli_build *b) {
  const struct cs_cli_argv *inputs = inputs_of(&b->cc);
  const struct output *output = output_of(b->cc.output);
  char arch[32] = "";
  if (!inputs || !output)
    return cs_cli_fail(!inputs ? NO_INPUT : "name the output with -o: a file that ends in .ptx, .img, .bc or .ll."), 2;
  if (*b->cc.detect && output->form == CS_CLI_FORM_PTX)
    return cs_cli_fail("--detect=%s works on the CPU device only: name an output that ends in .img.", b->cc.detect), 2;
  if (prepare(b, inputs))
    return 1;
  use_target(&b->cc, inputs->items[0], arch);
  char *bitcode = cs_cli_format("%s/lifted.bc", b->temp);
  int status = lift(b, inputs, take_print_after(&b->cc), bitcode);
  if (status == 0)
    status = write_output(b, output, bitcode);
  free(bitcode);
  return status;
}

/* Takes --part, which `cusafe cc` does not have, out of the arguments. Returns whether it was there. */
static int take_part(int *argc, char **argv) {
  int kept = 0;
  for (int i = 0; i < *argc; i++)
    if (strcmp(argv[i], "--part") != 0)
      argv[kept++] = argv[i];
  int found = kept < *argc;
  *argc = kept;
  return found;
}

int cs_cli_command_lift(int argc, char **argv) {
  static struct cs_cli_build b; /* static: its paths are large for a stack frame */
  int status = 2, part = take_part(&argc, argv);
  if (!names_something(argc, argv))
    cs_cli_fail(NO_INPUT);
  else if (cs_cli_cc_parse(&b.cc, argc, argv) == 0) {
    b.program = argv[0];
    b.cc.part = part;
    status = b.cc.help ? fputs(help, stdout) < 0 : run(&b);
  }
  cs_cli_cc_free(&b.cc);
  return status;
}
