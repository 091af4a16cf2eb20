/* demangle_test.c: names are demangled in a program without a C++ library. */
#include "report/arena.h"
#include "report/demangle.h"
#include "report/mangled.h"
#include "report/tests/cmocka_all.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static void expect(const char *mangled, const char *readable) {
  void *arena = NULL;
  assert_string_equal(cs_report_demangle(&arena, mangled), readable);
  cs_report_arena_release(&arena);
}

/* Runs first, before anything loads the library; a sanitizer's runtime may load it earlier. */
static void finds_a_library(void **state) {
  (void)state;
#if !defined(__SANITIZE_ADDRESS__)
  assert_null(dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_NOLOAD));
#endif
  void *seen_before = dlsym(RTLD_DEFAULT, "__cxa_demangle");
  expect("_Z12fill_squaresPii", "fill_squares(int*, int)");
  assert_ptr_equal(dlsym(RTLD_DEFAULT, "__cxa_demangle"), seen_before); /* its symbols stay hidden from the program */
}

static void reads_variables(void **state) {
  (void)state;
  expect("_ZZ1kPfE2sm", "k(float*)::sm");
  expect("_ZN4math5tableE", "math::table");
}

static void removes_tags_of_numba(void **state) {
  (void)state;
  expect("_ZN8__main__7averageB2v1B8cw51cXTLE5ArrayIfLi1E1C7mutable7alignedE",
         "__main__::average(Array<float, 1, C, mutable, aligned>)");
  expect("_ZN8__main__1fB3v12B1cENS_1gB3v13B1cE", "__main__::f(__main__::g)");
  expect("_Z1fB5cxx11v", "f[abi:cxx11]()");
  expect("_Z1fB2v1v", "f[abi:v1]()");
}

static void leaves_other_names_alone(void **state) {
  (void)state;
  expect("main", "main");
  expect("table", "table");
  expect("_Z", "_Z");
  expect("_Z9", "_Z9");
  expect("_Z99999999999999999999x", "_Z99999999999999999999x");
  expect("", "");
}

/* Each argument is a pair of the one before: 34 of them are 2^34 names, which a demangler would write. */
static void leaves_endless_names_alone(void **state) {
  (void)state;
  char name[1024] = "_Z1f4pairI1AS0_E";
  for (const char *part = "123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"; *part; part++)
    snprintf(name + strlen(name), sizeof name - strlen(name), "S_IS%c_S%c_E", *part, *part);
  expect(name, name);
  expect("_Z1f4pairI1AS0_ES_IS1_S1_E", "f(pair<A, A>, pair<pair<A, A>, pair<A, A> >)");
}

/* As in thrust: many references, to small parts. */
static void reads_names_with_many_references(void **state) {
  (void)state;
  assert_true(cs_report_mangled_is_short(
      "_ZN6thrust1kINS_5tupleINS_3ptrIfEES3_NS_4nullES4_S4_S4_S4_S4_S4_S4_EEEEvT_S6_S6_S6_S6_"
      "S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_S6_"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(finds_a_library),
      cmocka_unit_test(reads_variables),
      cmocka_unit_test(removes_tags_of_numba),
      cmocka_unit_test(leaves_other_names_alone),
      cmocka_unit_test(leaves_endless_names_alone),
      cmocka_unit_test(reads_names_with_many_references),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
