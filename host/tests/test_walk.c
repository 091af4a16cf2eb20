/* test_walk.c: compares the fast walk's stacks with libunwind's. */
#define UNW_LOCAL_ONLY
#include "host/stacks/cfi.h"
#include "host/stacks/stack.h"
#include "host/stacks/walk.h"
#include "host/tests/test.h"
#include <dlfcn.h>
#include <libunwind.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <ucontext.h>

enum { MAX_FRAMES = 64 };
static size_t walked; /* length of the last walk; 0 if it failed */

/* Skips the first address, which is in this function and differs for each call. */
static __attribute__((noinline)) void compare(void) {
  void *fast[MAX_FRAMES], *sure[MAX_FRAMES];
  size_t count = cs_host_walk(fast, MAX_FRAMES, (struct cs_host_text){0});
  int all = unw_backtrace(sure, MAX_FRAMES);
  walked = count;
  if (!count)
    return;
  assert_int_equal(count, all);
  for (size_t i = 1; i < count; i++)
    assert_ptr_equal(fast[i], sure[i]);
}

#if defined(__x86_64__)
static __attribute__((noinline)) void must_walk(size_t least) {
  compare();
  assert_true(walked >= least);
}

static void plain(void **state) {
  (void)state;
  must_walk(4);
  must_walk(4); /* from the cache */
}

static __attribute__((noinline)) size_t recurse(size_t depth) {
  size_t below = 0;
  if (depth)
    below = recurse(depth - 1) + 1;
  else
    must_walk(20);
  __asm__ volatile("" : "+r"(below)); /* keeps the recursion from becoming a loop */
  return below;
}

static void deep(void **state) {
  (void)state;
  assert_int_equal(recurse(20), 20);
}

/* A frame of variable size: its base pointer locates the caller's frame. */
static __attribute__((noinline)) void with_array(size_t bytes) {
  volatile char *array = __builtin_alloca(bytes);
  array[0] = array[bytes - 1] = 1;
  must_walk(5);
  array[bytes / 2] = 2;
}

static void sizes_known_at_run_time(void **state) {
  (void)state;
  for (size_t bytes = 1; bytes < 100000; bytes = bytes * 3 + 1)
    with_array(bytes);
}

static int through_libc(const void *a, const void *b) {
  (void)a, (void)b;
  must_walk(6);
  return 0;
}

static void callbacks_of_libraries(void **state) {
  (void)state;
  int numbers[4] = {1, 2, 3, 4};
  qsort(numbers, 4, sizeof *numbers, through_libc);
}

static void *in_thread(void *data) {
  must_walk(3);
  return data;
}

static void threads(void **state) {
  (void)state;
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, in_thread, NULL), 0);
  assert_int_equal(pthread_join(thread, NULL), 0);
}

/* A signal frame is not simple; libunwind still finds the stack. */
static cs_u32 signalled;
static void on_signal(int number) {
  (void)number;
  compare();
  signalled = cs_host_stack_here();
}

static void signals_are_for_libunwind(void **state) {
  (void)state;
  void *const *pcs;
  struct sigaction action = {.sa_handler = on_signal};
  assert_int_equal(sigaction(SIGUSR1, &action, NULL), 0);
  raise(SIGUSR1);
  assert_int_equal(walked, 0);
  assert_true(cs_host_stack_get(signalled, &pcs) > 4);
}

/* A stack other than the thread's: the fast walk does not follow it. */
static ucontext_t coroutine, thread;
static void on_other_stack(void) {
  compare();
  signalled = cs_host_stack_here();
}

static void other_stacks_are_for_libunwind(void **state) {
  (void)state;
  static char stack[1 << 16];
  void *const *pcs;
  assert_int_equal(getcontext(&coroutine), 0);
  coroutine.uc_stack.ss_sp = stack;
  coroutine.uc_stack.ss_size = sizeof stack;
  coroutine.uc_link = &thread;
  makecontext(&coroutine, on_other_stack, 0);
  assert_int_equal(swapcontext(&thread, &coroutine), 0);
  assert_int_equal(walked, 0);
  assert_true(cs_host_stack_get(signalled, &pcs) > 0);
}

static void short_walks_are_truncated(void **state) {
  (void)state;
  void *pcs[3] = {NULL, NULL, NULL};
  assert_int_equal(cs_host_walk(pcs, 2, (struct cs_host_text){0}), 2);
  assert_non_null(pcs[1]);
  assert_null(pcs[2]);
}

/* Code without an unwind table. */
static void unknown_code(void **state) {
  (void)state;
  cs_u64 unloaded;
  int variable;
  assert_int_equal(cs_host_cfi_at((cs_u64)&variable, &unloaded).kind, CS_HOST_CFI_OTHER);
  assert_int_equal(cs_host_cfi_at(0, &unloaded).kind, CS_HOST_CFI_OTHER);
}

/* An unloaded library's addresses may hold other code: the next new address clears the cache. */
static void unloading_is_noticed(void **state) {
  (void)state;
  cs_u64 before, after;
  must_walk(4);
  cs_host_cfi_at((cs_u64)&unloading_is_noticed, &before);
  void *library = dlopen(UNLOADED_LIBRARY, RTLD_NOW);
  assert_non_null(library);
  dlclose(library);
  cs_host_cfi_at((cs_u64)&unloading_is_noticed, &after);
  assert_true(after > before);
  compare();
  assert_int_equal(walked, 0);
  must_walk(4);
}

/* Frames with every kind of table entry, and the expected result. Each symbol is an instruction inside the frame. */
__asm__(".text\n"
        ".type frames, @function\n"
        "frames: .cfi_startproc\n"
        "at_entry: nop\n.cfi_adjust_cfa_offset 8\n"
        "pushed: nop\n.cfi_rel_offset rbp, 0\n"
        "saved_bp: nop\n.cfi_def_cfa_register rbp\n"
        "by_bp: nop\n.cfi_remember_state\n.cfi_def_cfa rsp, 8\n.cfi_restore rbp\n"
        "popped: nop\n.cfi_restore_state\n"
        "by_bp_again: nop\n.fill 300, 1, 0x90\n.cfi_def_cfa_offset 4096\n"
        "large: nop\n.fill 70000, 1, 0x90\n.cfi_escape 0x0f, 2, 0x76, 0x10\n"
        "expression: nop\n.cfi_def_cfa rsp, 16\n.cfi_undefined rip\n"
        "outermost: nop\n"
        ".cfi_endproc\n.size frames, . - frames\n");
#define FRAMES(X)                                                                                                      \
  X(at_entry, FROM_SP, 8, 0)                                                                                           \
  X(pushed, FROM_SP, 16, 0)                                                                                            \
  X(saved_bp, FROM_SP, 16, 16)                                                                                         \
  X(by_bp, FROM_BP, 16, 16)                                                                                            \
  X(popped, FROM_SP, 8, 0)                                                                                             \
  X(by_bp_again, FROM_BP, 16, 16)                                                                                      \
  X(large, FROM_BP, 4096, 16)                                                                                          \
  X(expression, OTHER, 0, 0)                                                                                           \
  X(outermost, END, 0, 0)
#define X(name, kind, size, saved) extern const char name[];
FRAMES(X)
#undef X

static void tables_are_understood(void **state) {
  (void)state;
  cs_u64 unloaded;
  static const struct {
    const char *at;
    struct cs_host_cfi frame;
  } cases[] = {
#define X(name, kind, size, saved) {name, {CS_HOST_CFI_##kind, size, saved}},
      FRAMES(X)
#undef X
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct cs_host_cfi frame = cs_host_cfi_at((cs_u64)cases[i].at, &unloaded);
    assert_int_equal(frame.kind, cases[i].frame.kind);
    assert_int_equal(frame.size, cases[i].frame.size);
    assert_int_equal(frame.saved_bp, cases[i].frame.saved_bp);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(plain),
      cmocka_unit_test(deep),
      cmocka_unit_test(sizes_known_at_run_time),
      cmocka_unit_test(callbacks_of_libraries),
      cmocka_unit_test(threads),
      cmocka_unit_test(signals_are_for_libunwind),
      cmocka_unit_test(other_stacks_are_for_libunwind),
      cmocka_unit_test(short_walks_are_truncated),
      cmocka_unit_test(unknown_code),
      cmocka_unit_test(unloading_is_noticed),
      cmocka_unit_test(tables_are_understood),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void libunwind_takes_over(void **state) {
  (void)state;
  compare();
  assert_int_equal(walked, 0);
  assert_int_not_equal(cs_host_stack_here(), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(libunwind_takes_over)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
