/* test_runtimes.c: libcusafe.so below the driver calls of NVIDIA's runtime libraries of CUDA 11, 12 and 13. */
#include "host/tests/run.h"

/* The error is reported with its kernel's launch. */
static void expect_launch(const char *mode) {
  expect_status(run(mode, ""), 86);
  expect_text("out-of-bounds");
  expect_text("reads_too_far");
  expect_text("launched here:");
}

static void kernels_of_every_runtime_are_checked(void **state) {
  (void)state;
  expect_launch("library_module");
  expect_launch("enumerated_kernels");
  expect_launch("unseen_module");
  expect_launch("unseen_module_is_replaced");
  expect_launch("launch_grid");
  expect_text("in bounds\n");
}

static void launches_without_their_metadata_are_refused(void **state) {
  (void)state;
  expect_status(run("refused_launches", ""), 0);
}

static void a_module_is_connected_once(void **state) {
  (void)state;
  expect_status(run("unseen_module_is_met_once", ""), 0);
  expect_status(run("library_module_is_checked", "verbosity=1"), 0);
  expect_no_text("had no checks");
}

static void a_module_is_connected_before_the_program_writes_to_it(void **state) {
  (void)state;
  expect_status(run("unseen_module_is_met_at_a_variable", ""), 0);
  expect_status(run("library_variable", ""), 0);
}

static void nothing_is_lost_after_a_reset(void **state) {
  (void)state;
  expect_launch("reset_by_first_edition");
}

static void a_leak_outlives_the_release_at_exit(void **state) {
  (void)state;
  expect_status(run("leak_until_release", "leak_check=1"), 86);
  expect_text("1 buffer was never freed");
}

static void a_capture_is_not_broken(void **state) {
  (void)state;
  expect_launch("captured_library");
  expect_launch("captured_unseen_module");
  expect_status(run("captured_library", "on_error=continue"), 86);
}

static void copies_with_attributes_are_checked(void **state) {
  (void)state;
  static const char *const modes[] = {"copy_with_attributes", "copy_3d_with_attributes"};
  for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
    expect_status(run(modes[i], ""), 86);
    expect_text("WithAttributesAsync");
    expect_text("in bounds\n");
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(kernels_of_every_runtime_are_checked),
      cmocka_unit_test(launches_without_their_metadata_are_refused),
      cmocka_unit_test(a_module_is_connected_once),
      cmocka_unit_test(a_module_is_connected_before_the_program_writes_to_it),
      cmocka_unit_test(nothing_is_lost_after_a_reset),
      cmocka_unit_test(a_leak_outlives_the_release_at_exit),
      cmocka_unit_test(a_capture_is_not_broken),
      cmocka_unit_test(copies_with_attributes_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
