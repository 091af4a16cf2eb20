/* test_alike.c: which launches are alike for a launch predicate, and what is remembered of them. */
#include "host/launch/decided.h"
#include "host/tests/test.h"
#include <string.h>

/* Buffers of 0x1000 bytes, of which those at odd multiples have 1000 bytes, the others 2000. */
static struct cs_host_buffer_bounds bounds_of(cs_u64 pointer) {
  return (struct cs_host_buffer_bounds){pointer & ~0xfffull, pointer ? (pointer & 0x1000 ? 1000 : 2000) : 0};
}

static void bounds_of_all(const cs_u64 *pointers, unsigned count, struct cs_host_buffer_bounds *bounds) {
  for (unsigned i = 0; i < count; i++)
    bounds[i] = bounds_of(pointers[i]);
}

enum { N = 1, OFFSET = 3, INSIDE = 8 }; /* values of the operations below */
static const cs_u64 constants[] = {4, 0, 8192};
static const struct cs_kernel_parameter parameters[] = {{0, 8}, {8, 4}, {16, 8}};

/* The pointer's offset in its buffer plus n is below the size, if the pointer is aligned to 4. */
static const struct cs_operation plain[] = {
    {CS_OPERATION_PARAMETER, 64, 0, 0, 0}, {CS_OPERATION_PARAMETER, 32, 1, 0, 0}, {CS_OPERATION_START, 64, 0, 0, 0},
    {CS_OPERATION_SUB, 64, 0, 2, 0},       {CS_OPERATION_ADD, 64, OFFSET, N, 0},  {CS_OPERATION_SIZE, 64, 0, 0, 0},
    {CS_OPERATION_CONSTANT, 64, 0, 0, 0},  {CS_OPERATION_ALIGNED, 64, 5, 0, 6},   {CS_OPERATION_ULT, 64, 4, 7, 0}};

struct launched {
  cs_u64 pointer, other;
  cs_u32 n;
  const char *parameters[3];
  struct cs_host_launch_values values;
};

static const struct cs_host_launch_values *launch(struct launched *l, cs_u64 pointer, cs_u32 n) {
  l->pointer = pointer;
  l->n = n;
  l->parameters[0] = (const char *)&l->pointer;
  l->parameters[1] = (const char *)&l->n;
  l->parameters[2] = (const char *)&l->other;
  l->values = (struct cs_host_launch_values){.grid = {4, 1, 1},
                                             .block = {32, 1, 1},
                                             .parameters = l->parameters,
                                             .bounds_of = bounds_of,
                                             .bounds_of_all = bounds_of_all};
  return &l->values;
}

static struct cs_host_form form_of(const struct cs_operation *operations, cs_u32 count, cs_u64 *values) {
  return (struct cs_host_form){.form = {.operation_count = count, .holds = count - 1, .parameter_count = 3},
                               .parameters = parameters,
                               .operations = operations,
                               .constants = constants,
                               .values = values};
}

static int are_alike(cs_u64 a, cs_u32 n_of_a, cs_u64 b, cs_u32 n_of_b) {
  struct cs_host_form form = form_of(plain, INSIDE + 1, NULL);
  struct cs_host_alike_reads reads;
  struct cs_host_alike_key one, two;
  struct launched la = {.other = a}, lb = {.other = b}; /* a parameter that the predicate does not read */
  assert_int_equal(cs_host_alike_reads(&form, &reads), 0);
  cs_host_alike_key(&form, &reads, launch(&la, a, n_of_a), &one);
  cs_host_alike_key(&form, &reads, launch(&lb, b, n_of_b), &two);
  return cs_host_alike_equal(&one, &two);
}

static void only_the_place_in_the_buffer_and_its_size_matter(void **state) {
  (void)state;
  assert_true(are_alike(0x12010, 7, 0x14010, 7));
  assert_false(are_alike(0x12010, 7, 0x14010, 8));
  assert_false(are_alike(0x12010, 7, 0x13010, 7)); /* another size */
  assert_false(are_alike(0x12010, 7, 0x14014, 7)); /* another place */
}

static void the_shape_matters(void **state) {
  (void)state;
  struct cs_host_form form = form_of(plain, INSIDE + 1, NULL);
  struct cs_host_alike_reads reads;
  struct cs_host_alike_key one, two;
  struct launched l = {.other = 0};
  assert_int_equal(cs_host_alike_reads(&form, &reads), 0);
  cs_host_alike_key(&form, &reads, launch(&l, 0x12010, 7), &one);
  cs_u32 *shape[] = {&l.values.grid[0],  &l.values.grid[1],  &l.values.grid[2], &l.values.block[0],
                     &l.values.block[1], &l.values.block[2], &l.values.dynamic};
  for (size_t i = 0; i < sizeof shape / sizeof *shape; i++) {
    ++*shape[i];
    cs_host_alike_key(&form, &reads, &l.values, &two);
    assert_false(cs_host_alike_equal(&one, &two));
    --*shape[i];
  }
}

/* Whether the predicate of `plain` and these operations, which follow it, can be decided for launches alike. */
static int is_relative(const struct cs_operation *more, size_t count) {
  struct cs_operation all[INSIDE + 8];
  struct cs_host_alike_reads reads;
  memcpy(all, plain, sizeof plain);
  memcpy(all + INSIDE + 1, more, count * sizeof *more);
  struct cs_host_form form = form_of(all, (cs_u32)(INSIDE + 1 + count), NULL);
  return cs_host_alike_reads(&form, &reads) == 0;
}
#define IS_RELATIVE(...)                                                                                               \
  is_relative((struct cs_operation[]){__VA_ARGS__}, sizeof(struct cs_operation[]){__VA_ARGS__} / sizeof *plain)

static void a_predicate_that_reads_more_of_a_pointer_is_known(void **state) {
  (void)state;
  enum { NEXT = INSIDE + 1 };
  assert_true(IS_RELATIVE({CS_OPERATION_CONSTANT, 64, 1, 0, 0}, {CS_OPERATION_NE, 64, 0, NEXT, 0}));   /* null? */
  assert_false(IS_RELATIVE({CS_OPERATION_CONSTANT, 64, 0, 0, 0}, {CS_OPERATION_NE, 64, 0, NEXT, 0}));  /* 4? */
  assert_false(IS_RELATIVE({CS_OPERATION_PARAMETER, 64, 2, 0, 0}, {CS_OPERATION_EQ, 64, 0, NEXT, 0})); /* equal? */
  assert_false(IS_RELATIVE({CS_OPERATION_PARAMETER, 64, 2, 0, 0}, {CS_OPERATION_START, 64, NEXT, 0, 0},
                           {CS_OPERATION_SUB, 64, NEXT, 2, 0})); /* the distance of two buffers */
  assert_false(IS_RELATIVE({CS_OPERATION_AND, 64, 0, N, 0}));
  assert_false(IS_RELATIVE({CS_OPERATION_ULT, 64, 2, N, 0}));        /* where the buffer starts */
  assert_false(IS_RELATIVE({CS_OPERATION_START, 64, OFFSET, 0, 0})); /* the buffer at another address */
  assert_false(IS_RELATIVE({CS_OPERATION_PARAMETER, 32, 0, 4, 0}));  /* half of the pointer */
  assert_false(IS_RELATIVE({CS_OPERATION_CONSTANT, 64, 2, 0, 0}, {CS_OPERATION_ALIGNED, 64, 5, 0, NEXT})); /* to 8192 */
}

static void a_null_pointer_is_not_alike_one_without_a_buffer(void **state) {
  (void)state;
  struct cs_operation null[INSIDE + 3];
  memcpy(null, plain, sizeof plain);
  null[INSIDE + 1] = (struct cs_operation){CS_OPERATION_CONSTANT, 64, 1, 0, 0};
  null[INSIDE + 2] = (struct cs_operation){CS_OPERATION_EQ, 64, 0, INSIDE + 1, 0};
  struct cs_host_form form = form_of(null, INSIDE + 3, NULL);
  struct cs_host_alike_reads reads;
  struct cs_host_alike_key one, two;
  struct launched l = {.other = 0};
  assert_int_equal(cs_host_alike_reads(&form, &reads), 0);
  cs_host_alike_key(&form, &reads, launch(&l, 0, 7), &one);
  cs_host_alike_key(&form, &reads, launch(&l, 0x10000, 7), &two);
  two.words[one.count - 2] = one.words[one.count - 2]; /* as if it had no buffer either */
  assert_false(cs_host_alike_equal(&one, &two));
}

static void what_held_once_holds_for_launches_alike(void **state) {
  (void)state;
  cs_u64 values[INSIDE + 1], bounds[CS_FORM_BOUNDS] = {0};
  struct cs_host_form form = form_of(plain, INSIDE + 1, values);
  form.form.bound_count = 2;
  form.form.bounds[0] = 2; /* the start of the buffer */
  form.form.bounds[1] = 5; /* its size */
  struct cs_host_decided *decided = cs_host_decided_make(&form);
  struct cs_host_asked asked;
  struct cs_host_alike_key key;
  struct launched l = {.other = 0};
  assert_non_null(decided);
  const struct cs_host_launch_values *first = launch(&l, 0x12010, 7);
  cs_host_decided_ask(&form, first, 1, &asked);
  assert_false(cs_host_decided_same(decided, &form, &asked, bounds));
  assert_false(cs_host_decided_alike(decided, &form, first, &asked, &key, bounds));
  assert_true(cs_host_predicate_holds(&form, first, &key.found, bounds));
  cs_host_decided_add(decided, &form, &asked, &key, bounds);
  assert_true(cs_host_decided_same(decided, &form, &asked, bounds));
  cs_host_decided_ask(&form, first, 2, &asked);
  assert_false(cs_host_decided_same(decided, &form, &asked, bounds)); /* a buffer was freed since */
  assert_true(cs_host_decided_alike(decided, &form, first, &asked, &key, bounds));
  launch(&l, 0x24010, 7);
  cs_host_decided_ask(&form, &l.values, 2, &asked);
  assert_true(cs_host_decided_alike(decided, &form, &l.values, &asked, &key, bounds));
  assert_true(bounds[0] == 0x24000 && bounds[1] == 2000);
  launch(&l, 0x25010, 7);
  cs_host_decided_ask(&form, &l.values, 2, &asked);
  assert_false(cs_host_decided_alike(decided, &form, &l.values, &asked, &key, bounds));
  cs_host_decided_delete(decided);
}

/* Another thread may free a buffer meanwhile: what is remembered was decided for the buffers of the key. */
static void the_predicate_is_evaluated_for_the_buffers_of_the_key(void **state) {
  (void)state;
  cs_u64 values[INSIDE + 1], bounds[CS_FORM_BOUNDS] = {0};
  struct cs_host_form form = form_of(plain, INSIDE + 1, values);
  struct cs_host_decided *decided = cs_host_decided_make(&form);
  struct cs_host_asked asked;
  struct cs_host_alike_key key;
  struct launched l = {.other = 0};
  assert_non_null(decided);
  launch(&l, 0x12010, 1500);
  cs_host_decided_ask(&form, &l.values, 1, &asked);
  assert_false(cs_host_decided_alike(decided, &form, &l.values, &asked, &key, bounds));
  assert_true(cs_host_predicate_holds(&form, &l.values, &key.found, bounds));
  key.found.bounds[0].size = 1000;
  assert_false(cs_host_predicate_holds(&form, &l.values, &key.found, bounds));
  cs_host_decided_delete(decided);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(only_the_place_in_the_buffer_and_its_size_matter),
                                     cmocka_unit_test(the_shape_matters),
                                     cmocka_unit_test(a_predicate_that_reads_more_of_a_pointer_is_known),
                                     cmocka_unit_test(a_null_pointer_is_not_alike_one_without_a_buffer),
                                     cmocka_unit_test(what_held_once_holds_for_launches_alike),
                                     cmocka_unit_test(the_predicate_is_evaluated_for_the_buffers_of_the_key)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
