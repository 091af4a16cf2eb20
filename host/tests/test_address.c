/* test_address.c: the symbolizer reads the process's libraries once, and again when others have been loaded. */
#include "host/stacks/address.h"
#include "host/stacks/calls.h"
#include "host/tests/test.h"
#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <string.h>

/* The linker leads the symbolizer's calls here. */
static int reads;
int __real_dwfl_linux_proc_report(Dwfl *dwfl, pid_t process);
int __wrap_dwfl_linux_proc_report(Dwfl *dwfl, pid_t process);
int __wrap_dwfl_linux_proc_report(Dwfl *dwfl, pid_t process) {
  reads++;
  return __real_dwfl_linux_proc_report(dwfl, process);
}

static __attribute__((noinline)) void *here(void) {
  return __builtin_return_address(0);
}

static const char *function_at(const void *address) {
  const struct cs_source *frames;
  return cs_host_address_frames((cs_u64)address, &frames) ? frames[0].function : NULL;
}

static void reads_once(void **state) {
  (void)state;
  const void *first = here(), *second = here();
  for (int i = 0; i < 1000; i++) {
    assert_string_equal(function_at(first), "reads_once");
    assert_string_equal(function_at(second), "reads_once");
  }
  const struct cs_source *frames;
  assert_int_equal(cs_host_address_frames((cs_u64)second, &frames), 1);
  assert_string_equal(strrchr(frames[0].file, '/'), "/test_address.c");
  assert_int_equal(frames[0].line, __LINE__ - 8);
  assert_int_equal(reads, 1);
}

/* More addresses than are kept. */
static void replaces_addresses(void **state) {
  (void)state;
  const void *known = here();
  for (cs_u64 i = 0; i < 5000; i++)
    function_at((const char *)known + i);
  assert_string_equal(function_at(known), "replaces_addresses");
  assert_int_equal(reads, 1);
}

static void follows_the_loader(void **state) {
  (void)state;
  void *library = dlopen(LIBRARY, RTLD_NOW);
  assert_non_null(library);
  const char *inside = dlsym(library, "cs_host_unloaded");
  assert_non_null(inside);
  assert_string_equal(function_at(inside + 2), "cs_host_unloaded");
  assert_string_equal(function_at(here()), "follows_the_loader");
  assert_int_equal(reads, 2);
  assert_int_equal(dlclose(library), 0);
  assert_null(function_at(inside + 2));
  assert_int_equal(reads, 3);
}

static __attribute__((noinline)) void other(void **to) {
  *to = __builtin_return_address(0);
}

static struct cs_source frame_at(const void *address) {
  const struct cs_source *frames;
  assert_int_equal(cs_host_address_frames((cs_u64)address, &frames), 1);
  return frames[0];
}

static cs_u64 number_at(const void *address) {
  struct cs_source frame = frame_at(address);
  return cs_host_calls_number(&(struct cs_stack){&frame, 1});
}

/* In the order of the code, whichever is asked for first; calls of another function do not count. */
static void calls_are_numbered_by_offset(void **state) {
  (void)state;
  void *calls[3], *apart;
  const void *between;
  other(&calls[0]);
  between = here();
  other(&calls[1]);
  other(&calls[2]);
  other(&apart), other(&apart); /* of one line: the second is in another column */
  assert_int_equal(number_at(calls[2]), 3);
  assert_int_equal(number_at(calls[0]), 1);
  assert_int_equal(number_at(calls[1]), 2);
  assert_int_equal(number_at(apart), 1);
  assert_int_equal(number_at(between), 1);
  assert_int_equal(cs_host_calls_number(&(struct cs_stack){0}), 1);
}

/* A stack is numbered by all of its frames. */
static void stacks_are_numbered_by_all_frames(void **state) {
  (void)state;
  void *calls[3];
  char seen[10] = "";
  other(&calls[0]);
  other(&calls[1]);
  other(&calls[2]);
  for (int i = 0; i < 9; i++) {
    const struct cs_source stack[] = {frame_at(calls[i % 3]), frame_at(calls[i / 3])};
    seen[cs_host_calls_number(&(struct cs_stack){stack, 2})]++;
  }
  for (int i = 1; i < 10; i++)
    assert_int_equal(seen[i], 1);
}

static int inheritable_files(void) {
  int count = 0;
  for (int file = 0; file < 1024; file++) {
    int flags = fcntl(file, F_GETFD);
    count += flags >= 0 && !(flags & FD_CLOEXEC);
  }
  return count;
}
static int inheritable_at_start;

/* What stays open does not reach programs that the process executes. */
static void files_are_not_inherited(void **state) {
  (void)state;
  assert_int_equal(inheritable_files(), inheritable_at_start);
}

int main(void) {
  inheritable_at_start = inheritable_files();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reads_once),
      cmocka_unit_test(replaces_addresses),
      cmocka_unit_test(follows_the_loader),
      cmocka_unit_test(calls_are_numbered_by_offset),
      cmocka_unit_test(stacks_are_numbered_by_all_frames),
      cmocka_unit_test(files_are_not_inherited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
