/* test_locks.c: the rules of lock.h and degraded.h are enforced: this test is built with CUSAFE_LOCK_CHECKS in every
 * configuration. */
#include "host/base/degraded.h"
#include "host/base/lock.h"
#include "host/tests/test.h"
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void in_order(void) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  cs_host_lock(CS_HOST_LOCK_HEAP);
  cs_host_unlock(CS_HOST_LOCK_DRAIN);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  cs_host_lock_none_held("a call");
}

static void out_of_order(void) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  cs_host_lock(CS_HOST_LOCK_DRAIN);
}

static void twice(void) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  cs_host_lock(CS_HOST_LOCK_HEAP);
}

static void not_held(void) {
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

static void try_out_of_order(void) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  cs_host_trylock(CS_HOST_LOCK_DRAIN);
}

static void waits_with_lock(void) {
  cs_host_lock(CS_HOST_LOCK_STACKS);
  cs_host_lock_none_held("a call");
}

static void waits_with_tried_lock(void) {
  cs_host_trylock(CS_HOST_LOCK_STACKS);
  cs_host_lock_none_held("a call");
}

static void turn_with_lock(void) {
  cs_host_lock(CS_HOST_LOCK_DRAIN);
  cs_host_lock(CS_HOST_LOCK_MODULES);
  cs_host_lock_wait(CS_HOST_LOCK_MODULES);
}

/* Whether a process that does this is aborted. */
static int dies(void (*act)(void)) {
  int status;
  pid_t child = fork();
  if (child == 0) {
    close(STDERR_FILENO);
    act();
    _exit(0);
  }
  assert_true(waitpid(child, &status, 0) == child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void the_order_is_enforced(void **state) {
  (void)state;
  assert_false(dies(in_order));
  assert_false(dies(try_out_of_order));
  assert_true(dies(out_of_order));
  assert_true(dies(twice));
  assert_true(dies(not_held));
}

static void nothing_is_held_in_a_wait(void **state) {
  (void)state;
  assert_true(dies(waits_with_lock));
  assert_true(dies(waits_with_tried_lock));
  assert_true(dies(turn_with_lock));
}

/* ---- failures that a test injects ---- */

static void is_silent(void) {
  cs_host_owes();
  cs_host_owes_nothing("a call", 0);
}

static void is_answered(void) {
  cs_host_owes();
  cs_host_degraded(CS_DEGRADED_PARTS);
  cs_host_owes_nothing("counted", 0);
  cs_host_owes();
  cs_host_nothing_lost();
  cs_host_owes_nothing("excused", 0);
  cs_host_owes();
  cs_host_owes_nothing("failed", 1);
  cs_host_owes_nothing("the next", 0);
}

static void fails_after_a_call_that_counted(void) {
  cs_host_degraded(CS_DEGRADED_PARTS);
  cs_host_owes_nothing("counted", 0);
  is_silent();
}

static void what_gives_up_checking_counts_it(void **state) {
  (void)state;
  assert_false(dies(is_answered));
  assert_true(dies(is_silent));
  assert_true(dies(fails_after_a_call_that_counted));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_order_is_enforced),
      cmocka_unit_test(nothing_is_held_in_a_wait),
      cmocka_unit_test(what_gives_up_checking_counts_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
