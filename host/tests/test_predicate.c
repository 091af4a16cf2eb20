/* test_predicate.c: launch predicates: operations, forms in a module's table, and grids that are decided in parts. */
#include "host/launch/predicate.h"
#include "host/tests/test.h"
#include <stdlib.h>
#include <string.h>

static const cs_u64 constants[] = {1, 0xfffffffffffffff9ull /* -7 */, 3, 0, 63, 0x80000000ull, 1ull << 40};

static struct cs_host_buffer_bounds bounds_of(cs_u64 pointer) {
  return (struct cs_host_buffer_bounds){pointer & ~0xfffull, 1000};
}

/* Evaluates the list, of which the last operation is the result. */
static cs_u64 result_of(const struct cs_operation *operations, cs_u32 count, struct cs_host_launch_values launch) {
  cs_u64 values[32], bounds[CS_FORM_BOUNDS];
  struct cs_operation with_true[32];
  memcpy(with_true, operations, count * sizeof *operations);
  with_true[count] = (struct cs_operation){CS_OPERATION_CONSTANT, 1, 0, 0, 0};
  static const struct cs_kernel_parameter parameters[] = {{0, 8}, {8, 4}};
  struct cs_host_form form = {.form = {.operation_count = count + 1,
                                       .holds = count,
                                       .parameter_count = 2,
                                       .constant_count = 7,
                                       .bound_count = 1,
                                       .bounds = {(unsigned short)(count - 1)}},
                              .parameters = parameters,
                              .operations = with_true,
                              .constants = constants,
                              .values = values};
  launch.bounds_of = bounds_of;
  struct cs_host_found found = {.count = 0};
  assert_true(cs_host_predicate_holds(&form, &launch, &found, bounds));
  return bounds[0];
}

static struct cs_host_launch_values launch_of(cs_u32 blocks) {
  return (struct cs_host_launch_values){.grid = {blocks, 2, 3}, .block = {32, 4, 1}, .dynamic = 77};
}

/* Constant a, constant b, and an operation on both. */
static cs_u64 both(enum cs_operation_code code, unsigned width, unsigned a, unsigned b) {
  struct cs_operation list[] = {{CS_OPERATION_CONSTANT, (unsigned char)width, (unsigned short)a, 0, 0},
                                {CS_OPERATION_CONSTANT, (unsigned char)width, (unsigned short)b, 0, 0},
                                {(unsigned char)code, (unsigned char)width, 0, 1, 1}};
  return result_of(list, 3, launch_of(1));
}

static void arithmetic_has_the_width_of_its_operands(void **state) {
  (void)state;
  enum { ONE, MINUS_7, THREE, ZERO, N63, HIGH };
  assert_true(both(CS_OPERATION_ADD, 32, MINUS_7, THREE) == 0xfffffffcull);
  assert_true(both(CS_OPERATION_ADD, 64, MINUS_7, THREE) == 0xfffffffffffffffcull);
  assert_true(both(CS_OPERATION_SUB, 8, ZERO, ONE) == 255);
  assert_true(both(CS_OPERATION_MUL, 32, HIGH, THREE) == 0x80000000ull);
  assert_true(both(CS_OPERATION_SDIV, 32, MINUS_7, THREE) == 0xfffffffeull);
  assert_true(both(CS_OPERATION_SREM, 64, MINUS_7, THREE) == 0xffffffffffffffffull);
  assert_true(both(CS_OPERATION_UDIV, 32, MINUS_7, ZERO) == 0);
  assert_true(both(CS_OPERATION_SREM, 32, HIGH, ZERO) == 0);
  assert_true(both(CS_OPERATION_SHL, 64, ONE, N63) == 1ull << 63);
  assert_true(both(CS_OPERATION_SHL, 32, ONE, N63) == 0);
  assert_true(both(CS_OPERATION_ASHR, 32, HIGH, THREE) == 0xf0000000ull);
  assert_true(both(CS_OPERATION_LSHR, 32, HIGH, THREE) == 0x10000000ull);
  assert_true(both(CS_OPERATION_SMIN, 32, HIGH, THREE) == 0x80000000ull);
  assert_true(both(CS_OPERATION_UMIN, 32, HIGH, THREE) == 3);
  assert_true(both(CS_OPERATION_SMAX, 64, MINUS_7, ZERO) == 0);
  assert_true(both(CS_OPERATION_USUB_SAT, 32, ONE, THREE) == 0);
  assert_true(both(CS_OPERATION_SLT, 32, MINUS_7, ZERO) == 1 && both(CS_OPERATION_ULT, 32, MINUS_7, ZERO) == 0);
  assert_true(both(CS_OPERATION_ULT, 32, THREE, THREE) == 0 && both(CS_OPERATION_ULE, 32, THREE, THREE) == 1);
  assert_true(both(CS_OPERATION_SLT, 32, THREE, THREE) == 0 && both(CS_OPERATION_SLE, 32, THREE, THREE) == 1);
  assert_true(both(CS_OPERATION_LIMIT, 64, N63, THREE) == 61 && both(CS_OPERATION_LIMIT, 64, ONE, THREE) == 0);
  assert_true(both(CS_OPERATION_ABS, 32, MINUS_7, ZERO) == 7);
  assert_true(both(CS_OPERATION_CTLZ, 32, THREE, ZERO) == 30 && both(CS_OPERATION_CTLZ, 32, ZERO, ZERO) == 32);
}

static void casts_keep_the_value(void **state) {
  (void)state;
  struct cs_operation extend[] = {{CS_OPERATION_CONSTANT, 32, 1, 0, 0}, {CS_OPERATION_SEXT, 32, 0, 64, 0}};
  assert_true(result_of(extend, 2, launch_of(1)) == 0xfffffffffffffff9ull);
  struct cs_operation to_40[] = {{CS_OPERATION_CONSTANT, 32, 1, 0, 0}, {CS_OPERATION_SEXT, 32, 0, 40, 0}};
  assert_true(result_of(to_40, 2, launch_of(1)) == 0xfffffffff9ull);
  struct cs_operation cut[] = {{CS_OPERATION_CONSTANT, 64, 1, 0, 0}, {CS_OPERATION_TRUNC, 64, 0, 16, 0}};
  assert_true(result_of(cut, 2, launch_of(1)) == 0xfff9);
}

static void a_launch_gives_its_values(void **state) {
  (void)state;
  cs_u64 pointer = 0x123456;
  int n = -2;
  const char *parameters[] = {(const char *)&pointer, (const char *)&n};
  struct cs_host_launch_values launch = launch_of(5);
  launch.parameters = parameters;
  struct cs_operation parameter[] = {{CS_OPERATION_PARAMETER, 32, 1, 0, 0}};
  assert_true(result_of(parameter, 1, launch) == 0xfffffffeull);
  struct cs_operation size[] = {{CS_OPERATION_PARAMETER, 64, 0, 0, 0}, {CS_OPERATION_SIZE, 64, 0, 0, 0}};
  assert_true(result_of(size, 2, launch) == 1000);
  struct cs_operation start[] = {{CS_OPERATION_PARAMETER, 64, 0, 0, 0}, {CS_OPERATION_START, 64, 0, 0, 0}};
  assert_true(result_of(start, 2, launch) == 0x123000);
  struct cs_operation last[] = {{CS_OPERATION_LAST_BLOCK, 64, 0, 0, 0}};
  assert_true(result_of(last, 1, launch) == 4);
  struct cs_operation dynamic[] = {{CS_OPERATION_DYNAMIC, 64, 0, 0, 0}};
  assert_true(result_of(dynamic, 1, launch) == 77);
}

/* last - first < 3: false for a grid of 16 blocks, and true for each part of at most 3. */
static const struct cs_operation narrow[] = {
    {CS_OPERATION_LAST_BLOCK, 64, 0, 0, 0}, {CS_OPERATION_FIRST_BLOCK, 64, 0, 0, 0},
    {CS_OPERATION_SUB, 64, 0, 1, 0},        {CS_OPERATION_CONSTANT, 64, 2, 0, 0},
    {CS_OPERATION_ULT, 64, 2, 3, 0},        {CS_OPERATION_CONSTANT, 64, 3, 0, 0},
    {CS_OPERATION_NE, 64, 1, 5, 0}};

static int holds(cs_u32 count, cs_u32 blocks) {
  cs_u64 values[16], bounds[CS_FORM_BOUNDS];
  struct cs_host_form form = {.form = {.operation_count = count, .holds = count - 1},
                              .operations = narrow,
                              .constants = constants,
                              .values = values};
  struct cs_host_launch_values launch = launch_of(blocks);
  launch.bounds_of = bounds_of;
  struct cs_host_found found = {.count = 0};
  return cs_host_predicate_holds(&form, &launch, &found, bounds);
}

static void a_grid_is_decided_in_parts(void **state) {
  (void)state;
  assert_true(holds(5, 1) && holds(5, 3) && holds(5, 4) && holds(5, 16));
  assert_false(holds(5, 1000));                             /* the budget ends */
  assert_false(holds(7, 1) || holds(7, 2) || holds(7, 16)); /* false for the first block alone */
}

/* ---- tables ---- */

struct table {
  struct cs_module header;
  struct cs_form form;
  struct cs_kernel_parameter parameters[2];
  struct cs_operation operations[2];
  cs_u64 constants[1];
  char strings[16];
};

static struct table sound_table(void) {
  struct table t = {
      .form = {.kernel = 1, .fast = 3, .parameter_count = 2, .operation_count = 2, .constant_count = 1, .holds = 1},
      .parameters = {{0, 8}, {8, 4}},
      .operations = {{CS_OPERATION_PARAMETER, 32, 1, 0, 0}, {CS_OPERATION_EQ, 32, 0, 0, 0}},
      .strings = "\0k\0fast"};
  t.header = (struct cs_module){.total_bytes = sizeof t,
                                .string_bytes = sizeof t.strings,
                                .string_offset = offsetof(struct table, strings),
                                .form_count = 1,
                                .form_offset = offsetof(struct table, form),
                                .parameter_count = 2,
                                .parameter_offset = offsetof(struct table, parameters),
                                .operation_count = 2,
                                .operation_offset = offsetof(struct table, operations),
                                .constant_count = 1,
                                .constant_offset = offsetof(struct table, constants)};
  return t;
}

static void forms_are_found_by_the_name_of_their_kernel(void **state) {
  (void)state;
  struct table t = sound_table();
  struct cs_host_form found, *copy;
  assert_int_equal(cs_host_form_find(&t.header, "k", &found), 0);
  assert_string_equal(found.fast, "fast");
  assert_int_equal(cs_host_form_find(&t.header, "other", &found), -1);
  copy = cs_host_form_copy(&found);
  assert_non_null(copy);
  memset(&t, 0, sizeof t);
  assert_string_equal(copy->fast, "fast");
  assert_int_equal(copy->parameters[1].size, 4);
  assert_int_equal(copy->operations[1].code, CS_OPERATION_EQ);
  free(copy);
}

static void damaged_forms_are_refused(void **state) {
  (void)state;
  struct cs_host_form found;
#define REFUSED(change)                                                                                                \
  do {                                                                                                                 \
    struct table t = sound_table();                                                                                    \
    change;                                                                                                            \
    assert_int_equal(cs_host_form_find(&t.header, "k", &found), -1);                                                   \
  } while (0)
  REFUSED(t.form.first_operation = 1);
  REFUSED(t.form.constant_count = 2);
  REFUSED(t.form.holds = 2);
  REFUSED(t.form.bound_count = CS_FORM_BOUNDS + 1);
  REFUSED((t.form.bound_count = 1, t.form.bounds[0] = 2));
  REFUSED(t.operations[0].a = 2);
  REFUSED(t.operations[0].b = 1); /* past the end of the parameter */
  REFUSED(t.operations[0].width = 65);
  REFUSED(t.operations[0].code = CS_OPERATION_COUNT);
  REFUSED(t.operations[1].b = 1); /* itself */
  REFUSED((t.operations[0] = (struct cs_operation){CS_OPERATION_GRID_DIM, 32, 3, 0, 0}));
  REFUSED((t.operations[1] = (struct cs_operation){CS_OPERATION_SEXT, 32, 0, 65, 0}));
#undef REFUSED
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(arithmetic_has_the_width_of_its_operands),
                                     cmocka_unit_test(casts_keep_the_value),
                                     cmocka_unit_test(a_launch_gives_its_values),
                                     cmocka_unit_test(a_grid_is_decided_in_parts),
                                     cmocka_unit_test(forms_are_found_by_the_name_of_their_kernel),
                                     cmocka_unit_test(damaged_forms_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
