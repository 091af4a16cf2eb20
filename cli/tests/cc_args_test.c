/* cc_args_test.c: how `cusafe cc` parses its command line. */
#include "cli/base/message.h"
#include "cli/cc/args.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Replaces the one of base/message.c. */
static char last_error[512];
int cs_cli_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  vsnprintf(last_error, sizeof last_error, format, args);
  va_end(args);
  return 1;
}

/* Parses a line of words separated by one space. */
static int parse(struct cs_cli_cc *cc, const char *line) {
  static char words[2048];
  char *argv[128], *rest = words;
  int argc = 0;
  snprintf(words, sizeof words, "cc %s", line);
  while ((argv[argc] = strsep(&rest, " ")))
    argc++;
  return cs_cli_cc_parse(cc, argc, argv);
}

static void check_list(const struct cs_cli_argv *list, const char *expected) {
  char joined[1024] = "";
  for (size_t i = 0; i < list->count; i++)
    snprintf(joined + strlen(joined), sizeof joined - strlen(joined), "%s%s", i ? " " : "", list->items[i]);
  assert_string_equal(joined, expected);
}

static void sorts_flags_by_step(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(parse(&cc, "a.cu -I inc -DX=1 b.o -Lx -lfoo -Wall -Wl,-z,now -O3 -std=c++17 -MF d -MD c.cpp -fPIC "
                              "-o out d.c -Xcompiler -fopenmp,-w"),
                   0);
  check_list(&cc.compile, "-Iinc -DX=1 -Wall -O3 -std=c++17 -fPIC");
  check_list(&cc.host, "-MF d -MD -fopenmp -w");
  check_list(&cc.link, "b.o -Lx -lfoo -Wl,-z,now -O3 -fPIC -fopenmp -w");
  assert_int_equal(cc.source_count, 3);
  assert_int_equal(cc.sources[0].language, CS_CLI_LANGUAGE_CUDA);
  assert_int_equal(cc.sources[1].language, CS_CLI_LANGUAGE_CXX);
  assert_int_equal(cc.sources[2].language, CS_CLI_LANGUAGE_C);
  assert_string_equal(cc.output, "out");
  assert_true(cc.optimize && !cc.debug && !cc.gpu && !cc.bare && cc.make == CS_CLI_MAKE_PROGRAM);
  cs_cli_cc_free(&cc);
}

/* nvcc passes these to a shell. */
static void unquotes_host_flags(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(parse(&cc, "a.cu --compiler-options '-fPIC' -Xcompiler \"-Wall\" -Xcompiler -DNAME=\\\"x\\\",-w"),
                   0);
  check_list(&cc.host, "-fPIC -Wall -DNAME=\"x\" -w");
  cs_cli_cc_free(&cc);
}

static void accepts_sets_of_architectures(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(parse(&cc, "a.cu -arch=all"), 0);
  check_list(&cc.archs, "sm_80");
  cs_cli_cc_free(&cc);
  assert_int_equal(parse(&cc, "a.cu -arch all-major -gencode arch=compute_90,code=sm_90"), 0);
  check_list(&cc.archs, "sm_90");
  cs_cli_cc_free(&cc);
}

static void parses_its_own_flags(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(parse(&cc, "--device=gpu --bare --arch=sm_80,sm_90 --metadata=window -v --keep -c -oout.o a.cu -g"),
                   0);
  assert_true(cc.gpu && cc.bare && cc.window && cc.verbose && cc.keep && cc.make == CS_CLI_MAKE_OBJECT && cc.debug);
  check_list(&cc.archs, "sm_80 sm_90");
  check_list(&cc.compile, "-g");
  assert_string_equal(cc.output, "out.o");
  cs_cli_cc_free(&cc);
}

static void translates_nvcc(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(parse(&cc, "-arch=sm_75 -gencode arch=compute_86,code=sm_86 -lineinfo -G --expt-relaxed-constexpr "
                              "-use_fast_math --default-stream=per-thread -Xptxas -v -lcudart_static a.cu"),
                   0);
  check_list(&cc.archs, "sm_75 sm_86");
  check_list(&cc.compile, "-g -D__CUDACC_DEBUG__=1 -D__CUDACC_RELAXED_CONSTEXPR__=1 -fgpu-default-stream=per-thread");
  check_list(&cc.link, "");
  assert_null(cc.cpu_arch);
  cs_cli_cc_free(&cc);
  assert_int_equal(parse(&cc, "-use_fast_math a.cu --device=gpu --bare -rdc=true"), 0);
  check_list(&cc.compile, "-fgpu-approx-transcendentals");
  assert_true(cc.relocatable);
  check_list(&cc.archs, "sm_80");
  cs_cli_cc_free(&cc);
}

/* Values after '=' and as the next argument, lists, long names, and options that only nvcc's own tools use. */
/* Another compiler's program does not expect nvcc's macros. */
static void knows_whom_it_replaces(void **state) {
  (void)state;
  static const struct {
    const char *line;
    int as_clang;
  } cases[] = {{"a.cu", 0}, {"--instead-of /usr/bin/nvcc a.cu", 0}, {"--instead-of clang++ a.cu", 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_cli_cc cc;
    assert_int_equal(parse(&cc, cases[i].line), 0);
    assert_int_equal(cc.as_clang, cases[i].as_clang);
    assert_int_equal(cc.source_count, 1);
    cs_cli_cc_free(&cc);
  }
}

static void accepts_what_nvcc_accepts(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(
      parse(&cc, "-ccbin g++ -ccbin=g++ --compiler-options -fPIC,-Wall -Xcompiler=-Wl,-rpath,/x -Xlinker=-z,now "
                 "-Xptxas=-v -Xcudafe --diag_suppress=1 -diag-suppress 20012 --threads 4 -t 2 -t=2 -m 64 -m64 "
                 "-maxrregcount 32 --expt-extended-lambda -code=sm_80 --gpu-code compute_80 -cudart shared "
                 "--std c++17 --define-macro A=1,B --include-path=x,y -isystem=z --library-path l --library m "
                 "-fmad=false -ftz=true -prec-div false -Werror all-warnings -Werror=all-warnings -keep -keep-dir k "
                 "-lcudart -lcudadevrt -march=native a.cu -dc -odir out"),
      0);
  check_list(&cc.compile, "-DCUSAFE_NVCC_EXTENDED_LAMBDA -std=c++17 -DA=1 -DB -Ix -Iy -isystem z");
  check_list(&cc.host, "-fPIC -Wall -march=native");
  check_list(&cc.link, "-fPIC -Xlinker -rpath -Xlinker /x -Xlinker -z -Xlinker now -Ll -lm -march=native");
  check_list(&cc.device, "-ffp-contract=off");
  assert_int_equal(cc.make, CS_CLI_MAKE_OBJECT);
  assert_true(cc.relocatable);
  assert_string_equal(cc.output_folder, "out");
  assert_string_equal(cc.keep_dir, "k");
  assert_int_equal(cc.registers, 32);
  cs_cli_cc_free(&cc);
  assert_int_equal(parse(&cc, "-Xptxas -v,--maxrregcount=40 a.cu"), 0);
  assert_int_equal(cc.registers, 40);
  cs_cli_cc_free(&cc);
  assert_int_not_equal(parse(&cc, "--maxrregcount=few a.cu"), 0);
  cs_cli_cc_free(&cc);
  assert_int_equal(parse(&cc, "-Werror a.cu -rdc false"), 0);
  check_list(&cc.compile, "-Werror");
  assert_false(cc.relocatable);
  cs_cli_cc_free(&cc);
}

/* The values that nvcc 13.0 gives the macros. */
static void reads_lists_as_nvcc_does(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(
      parse(&cc, "-DA=1\\,2 -DB=1,C -D D=\"x,y\",E=1 -DF=\"p\\\\q\" -DG=\\\"x\\\" -DH(a,b)=a+b -UX,Y -Ix,y -isystem "
                 "z,w -Ll,m -lm,dl a.cu"),
      0);
  check_list(&cc.compile,
             "-DA=1,2 -DB=1 -DC -DD=\"x,y\" -DE=1 -DF=\"p\\q\" -DG=\"x\" -DH(a,b)=a+b -UX -UY -Ix -Iy -isystem z "
             "-isystem w");
  check_list(&cc.link, "-Ll -Lm -lm -ldl");
  cs_cli_cc_free(&cc);
  assert_int_equal(parse(&cc, "--instead-of clang++ -DA=1\\,2 -D B=1,2 -Ix,y -lm a.cu"), 0);
  check_list(&cc.compile, "-DA=1\\,2 -DB=1,2 -Ix,y");
  check_list(&cc.link, "-lm");
  cs_cli_cc_free(&cc);
}

static void derives_the_output_from_flags(void **state) {
  (void)state;
  static const struct {
    const char *line;
    enum cs_cli_make make;
  } cases[] = {
      {"a.cu", CS_CLI_MAKE_PROGRAM},           {"-c a.cu", CS_CLI_MAKE_OBJECT},
      {"--ptx a.cu", CS_CLI_MAKE_PTX},         {"-cubin a.cu", CS_CLI_MAKE_CUBIN},
      {"-fatbin a.cu", CS_CLI_MAKE_FATBIN},    {"-lib a.o", CS_CLI_MAKE_LIBRARY},
      {"-dlink a.o", CS_CLI_MAKE_DEVICE_LINK}, {"-dc -link a.cu", CS_CLI_MAKE_PROGRAM},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_cli_cc cc;
    assert_int_equal(parse(&cc, cases[i].line), 0);
    assert_int_equal(cc.make, cases[i].make);
    cs_cli_cc_free(&cc);
  }
}

static void forces_a_language(void **state) {
  (void)state;
  struct cs_cli_cc cc;
  assert_int_equal(parse(&cc, "-x cuda a.cpp -x none b.cpp -xcu -"), 0);
  assert_int_equal(cc.sources[0].language, CS_CLI_LANGUAGE_CUDA);
  assert_int_equal(cc.sources[1].language, CS_CLI_LANGUAGE_CXX);
  assert_int_equal(cc.sources[2].language, CS_CLI_LANGUAGE_CUDA);
  cs_cli_cc_free(&cc);
  assert_int_equal(parse(&cc, "a.cpp b.c -x cu"), 0); /* as in nvcc, -x applies to all of them */
  assert_int_equal(cc.sources[0].language, CS_CLI_LANGUAGE_CUDA);
  assert_int_equal(cc.sources[1].language, CS_CLI_LANGUAGE_CUDA);
  cs_cli_cc_free(&cc);
}

static void rejects_with_one_sentence(void **state) {
  (void)state;
  static const struct {
    const char *line, *part;
  } cases[] = {
      {"--device=tpu a.cu", "cpu or gpu"}, {"--metadata=x a.cu", "table or window"},
      {"-O2", "no input files"},           {"-c a.o", "no input files"},
      {"a.cu -o", "-o requires a value"},  {"-c a.cu b.cu -o x.o", "-o names one file"},
      {"-rdc=yes a.cu", "true or false"},  {"-m32 a.cu", "32-bit"},
      {"-run a.cu", "cusafe run"},         {"--default-stream mine a.cu", "legacy or per-thread"},
      {"--arch=80 a.cu", "sm_80"},         {"-x fortran a.f", "-x fortran"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_cli_cc cc;
    assert_int_equal(parse(&cc, cases[i].line), -1);
    assert_non_null(strstr(last_error, cases[i].part));
    assert_null(strchr(last_error, '\n'));
    cs_cli_cc_free(&cc);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sorts_flags_by_step),
      cmocka_unit_test(unquotes_host_flags),
      cmocka_unit_test(accepts_sets_of_architectures),
      cmocka_unit_test(parses_its_own_flags),
      cmocka_unit_test(translates_nvcc),
      cmocka_unit_test(knows_whom_it_replaces),
      cmocka_unit_test(accepts_what_nvcc_accepts),
      cmocka_unit_test(reads_lists_as_nvcc_does),
      cmocka_unit_test(derives_the_output_from_flags),
      cmocka_unit_test(forces_a_language),
      cmocka_unit_test(rejects_with_one_sentence),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
