/* survey_judge_test.c: which lines of a program's output report a failure, and which reasons logs yield. */
#include "cli/base/message.h"
#include "cli/survey/judge.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* Replaces the one of base/message.c. */
int cs_cli_fail(const char *format, ...) {
  (void)format;
  return 1;
}

static void recognises_failures(void **state) {
  (void)state;
  static const char *const lines[] = {"FAIL",
                                      "Test FAILED!",
                                      "verification: failed",
                                      "Mismatch at 17: 1 != 2",
                                      "Number of mismatches: 5",
                                      "3 tests failed",
                                      "Results are INCORRECT",
                                      "Error: cannot open file",
                                      "ERROR! out of range",
                                      "CUDA error: invalid argument",
                                      "GPUassert: unspecified launch failure main.cu 12",
                                      "result does not match",
                                      "main.cu:12: Assertion `x' failed.",
                                      "NOT PASSED"};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (!cs_cli_judge_line(lines[i]))
      fail_msg("'%s' is not recognised as a failure", lines[i]);
}

static void accepts_figures(void **state) {
  (void)state;
  static const char *const lines[] = {"PASS",
                                      "Test PASSED, 0 failed",
                                      "error: 0.0001",
                                      "Error: 1e-6",
                                      "max error 0.25",
                                      "Maximum absolute error: 3.5",
                                      "Error rate = 12 %",
                                      "error = -1.5e-3",
                                      "mismatches: 0",
                                      "mismatch = 0.00 %",
                                      "No mismatch found",
                                      "failed tests: 0",
                                      "0 failures",
                                      "PASS/FAIL: PASS",
                                      "error: none",
                                      "make: Leaving directory 'failures'",
                                      "no error",
                                      "unfailing",
                                      ""};
  for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
    if (cs_cli_judge_line(lines[i]))
      fail_msg("'%s' is mistaken for a failure", lines[i]);
}

/* A file with this text; its name is valid until the next call. */
static const char *log_of(const char *text) {
  static char path[] = "/tmp/cusafe-judge-XXXXXX";
  static int made;
  if (!made) {
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    close(fd);
    made = 1;
  }
  FILE *out = fopen(path, "w");
  if (!out)
    fail_msg("cannot write %s", path);
  else {
    fputs(text, out);
    fclose(out);
  }
  return path;
}

static void groups_build_failures(void **state) {
  (void)state;
  static const struct {
    const char *log, *reason;
    int clang;
  } cases[] = {
      {"a.cu:1:10: fatal error: 'mpi.h' file not found\ncusafe: clang itself does not accept a.cu.\n",
       "clang: header not found: mpi.h", 0},
      {"a.cu:7: warning: error: no\na.cu:9:3: error: cusafe: cannot translate 'ldmatrix' for the CPU device\n"
       "cusafe: clang itself accepts a.cu.\n",
       "refused: ldmatrix", 1},
      {"a.cu:1:1: error: use of undeclared identifier 'x'; did you mean 'y'?\ncusafe: clang itself does not accept "
       "a.cu.\n",
       "clang: undeclared name: x", 0},
      {"a.cu(97): error: identifier \"_BitInt\" is undefined\n", "undeclared name: _BitInt", -1},
      {"a.cu:5:3: error: no matching function for call to 'atomicAdd'\na.cu:6:1: error: expected ';'\n",
       "no matching function: atomicAdd", -1},
      {"a.cu:5:3: error: call to 'abs' is ambiguous\n", "ambiguous call: abs", -1},
      {"a.cu:5:3: error: a sentence that differs for every program\n", "the compiler rejects the source", -1},
      {"a.cu:5:3: error: expected ';' after expression\n", "syntax", -1},
      {"a.cpp:3:10: fatal error: mpi.h: No such file or directory\n", "header not found: mpi.h", -1},
      {"nvcc fatal   : Unsupported gpu architecture 'compute_60'\n",
       "architecture that the toolkit does not have: compute_60", -1},
      {"fatal error: error in backend: Cannot select: 0x1234\nLLVM ERROR: again\n", "the compiler rejects the source",
       -1},
      {"CMake Error at CMakeLists.txt:3 (find_package):\n", "CMake reports an error", -1},
      {"/usr/bin/ld: a.o: undefined reference to `cublasCreate_v2'\nclang++: error: linker command failed\n"
       "cusafe: clang itself accepts the sources.\ncusafe: the program needs cuBLAS, which NVIDIA provides for GPUs "
       "only\n",
       "needs cuBLAS", 1},
      {"/usr/bin/ld: a.o: in function `main':\na.cu: undefined reference to `foo(int)'\n", "undefined at link: foo",
       -1},
      {"/usr/bin/ld: cannot find -lgsl: No such file or directory\n", "library not found: gsl", -1},
      {"make: *** No rule to make target 'x.h', needed by 'y'.  Stop.\n", "no rule to make target x.h", -1},
      {"/bin/sh: 1: mpicxx: not found\nmake: *** [Makefile:3: a] Error 127\n", "command not found: mpicxx", -1},
      {"make: hipcc: No such file or directory\nmake: *** [Makefile:3: a] Error 127\n", "command not found: hipcc", -1},
      {"a\nmake: *** [Makefile:3: a] Error 9\n", "make: exit code 9", -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_cli_result r = {.clang = -1};
    cs_cli_judge_build(log_of(cases[i].log), &r);
    assert_string_equal(r.reason, cases[i].reason);
    assert_int_equal(r.clang, cases[i].clang);
  }
}

static void reads_exit_statuses_from_make(void **state) {
  (void)state;
  assert_int_equal(cs_cli_judge_make_status(log_of("make: *** [Makefile:7: run] Error 86\n"), 2), 86);
  assert_int_equal(
      cs_cli_judge_make_status(log_of("make[1]: *** [Makefile:7: run] Error 3\nmake: *** [M:1: all] Error 2\n"), 2), 3);
  assert_int_equal(cs_cli_judge_make_status(log_of("make: [Makefile:7: run] Error 5 (ignored)\n"), 0), 5);
  assert_int_equal(
      cs_cli_judge_make_status(log_of("make: *** [Makefile:7: run] Segmentation fault (core dumped)\n"), 2), 139);
  assert_int_equal(cs_cli_judge_make_status(log_of("make: Nothing to be done\nError 7\n"), 0), 0);
}

static void judges_runs(void **state) {
  (void)state;
  static const struct {
    const char *log;
    int exit_code, ran, passed;
    const char *reason;
  } cases[] = {
      {"PASS\n", 0, 1, 1, ""},
      {"all\nfailed\n", 0, 1, 0, "self-check failed"},
      {"x\n", 3, 0, 0, "exit code 3"},
      {"x\n", 139, 0, 0, "signal 11 (Segmentation fault)"},
      {"cusafe: cudaGraphCreate is not supported on CuSafe's CPU device (cudaErrorNotSupported).\nfail\n", 1, 0, 0,
       "not supported: cudaGraphCreate"},
      {"cusafe: kernel k was given up after 108 s (CUSAFE_CPU_TIMEOUT): on the CPU device\nPASS\n", 0, 1, 0,
       "cusafe: kernel was given up after # s (CUSAFE_CPU_TIMEOUT): on the CPU device"},
      {"cusafe: kernel k accessed unmapped address 0x1000\n", 1, 0, 0, "cusafe: kernel accessed unmapped address #"},
      {"cusafe: /a/main contains code of NVIDIA that works with NVIDIA's driver only, most likely the static CUDA "
       "runtime\nPASS\n",
       0, 1, 0, "linked with NVIDIA's static runtime"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_cli_result r = {.exit_code = cases[i].exit_code, .ran = cases[i].ran};
    cs_cli_judge_run(log_of(cases[i].log), &r);
    assert_int_equal(r.passed, cases[i].passed);
    assert_string_equal(r.reason, cases[i].reason);
  }
  unlink(log_of(""));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(recognises_failures),   cmocka_unit_test(accepts_figures),
      cmocka_unit_test(groups_build_failures), cmocka_unit_test(reads_exit_statuses_from_make),
      cmocka_unit_test(judges_runs),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
