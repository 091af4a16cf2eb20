/* events_test.c: host events: copies and fills, leaks, launch arguments; the rules and their golden files. */
#include "report/call.h"
#include "report/tests/cmocka_all.h"
#include "report/tests/fixture.h"
#include "report/tests/golden.h"

static struct cs_evidence call(cs_i64 offset, cs_u64 size, const struct cs_buffer *own) {
  return (struct cs_evidence){
      .event = CS_EVENT_API,
      .count = 1,
      .call = "cuMemcpyHtoD_v2",
      .api = {.address = fixture_own.start + (cs_u64)offset, .size = size, .access = CS_ACCESS_WRITE},
      .here = fixture_free_stack,
      .own = own};
}

static struct cs_finding diagnose(const struct cs_evidence *evidence) {
  struct cs_finding f;
  assert_int_equal(cs_diagnose(evidence, &f), 0);
  cs_finding_release(&f);
  return f;
}

static void calls_are_distinguished(void **state) {
  (void)state;
  struct cs_evidence evidence = call(0, 496, &fixture_own);
  struct cs_finding f = diagnose(&evidence);
  assert_int_equal(f.kind, CS_KIND_API_OUT_OF_BOUNDS);
  assert_int_equal(f.outside, 1);
  assert_int_equal(f.access, CS_ACCESS_WRITE);
  evidence = call(0, 16, &fixture_own_freed);
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_API_USE_AFTER_FREE);
  evidence = call(0, 16, NULL);
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_API_OUT_OF_BOUNDS);
  evidence.touched = &fixture_own_freed;
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_API_USE_AFTER_FREE);
  evidence = call(4096, 16, &fixture_own);
  evidence.touched = &fixture_own_freed;
  assert_ptr_equal(diagnose(&evidence).own, &fixture_own);
  assert_ptr_equal(diagnose(&evidence).touched, &fixture_own_freed);
}

static void calls(void **state) {
  (void)state;
  struct cs_evidence evidence = call(0, 496, &fixture_own);
  golden_compare("api-across-the-end", &evidence);
  evidence = call(404, 1, &fixture_own);
  evidence.api.access = CS_ACCESS_READ;
  golden_compare("api-past-the-end", &evidence);
  evidence = call(-16, 32, &fixture_own);
  evidence.call = "cuMemcpy3DPeerAsync_ptsz_with_a_name_as_long_as_no_call_has_one";
  golden_compare("api-before-the-start", &evidence);
  evidence = call(8, 16, &fixture_own_freed);
  golden_compare("api-use-after-free", &evidence);
  evidence = call(8, 400, NULL);
  evidence.call = "cudaMemcpyToSymbol";
  evidence.api.variable = "_ZN6filter5tableE";
  evidence.api.variable_start = fixture_own.start;
  evidence.api.variable_bytes = 400;
  evidence.api.variable_memory = CS_MEMORY_CONSTANT;
  golden_compare("api-variable", &evidence);
  evidence = call(0, ~0ull, NULL);
  evidence.api.access = (enum cs_access)99;
  evidence.call = NULL;
  evidence.here.count = 0;
  golden_compare("api-arbitrary", &evidence);
}

static void leaks(void **state) {
  (void)state;
  struct cs_evidence evidence = {.event = CS_EVENT_LEAK, .count = 1, .own = &fixture_own};
  struct cs_finding f = diagnose(&evidence);
  assert_int_equal(f.kind, CS_KIND_LEAK);
  assert_int_equal(f.address, fixture_own.start);
  assert_int_equal(f.size, 400);
  assert_int_equal(f.where.count, fixture_own.allocated_by.count);
  golden_compare("leak", &evidence);
  evidence.count = 30;
  evidence.leak.bytes = 12000;
  golden_compare("leak-many", &evidence);
  struct cs_buffer huge = {.start = 0x7fffffffffff0000, .size = ~0ull, .allocator = "cuMemAllocManaged"};
  evidence.own = &huge;
  evidence.count = 1000000;
  evidence.leak.bytes = ~0ull - 9;
  golden_compare("leak-many-without-stack", &evidence);
  evidence.own = NULL;
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_LEAK);
}

/* The allocation is in a library without line information: the location of the leak is the caller's. */
static void leaks_are_located_at_the_first_line(void **state) {
  (void)state;
  static const struct cs_source frames[] = {
      {.function = "cudaMalloc", .module = "/lib/libcudart.so.13", .pc = 0x7f0000031000},
      {.function = "Pool::take(unsigned long)", .file = "pool.cpp", .pc = 0x55d0c0de1400, .line = 12, .column = 7},
  };
  struct cs_buffer own = fixture_own;
  own.allocated_by = (struct cs_stack){frames, 2};
  struct cs_evidence evidence = {.event = CS_EVENT_LEAK, .count = 1, .own = &own};
  golden_compare("leak-in-a-library", &evidence);
}

static struct cs_evidence launch(cs_u64 pointer, int is_host, const struct cs_buffer *own) {
  return (struct cs_evidence){.event = CS_EVENT_ARGUMENT,
                              .count = 1,
                              .kernel = "_Z6gatherPKfPf",
                              .call = "cuLaunchKernel",
                              .argument = {.pointer = pointer, .index = 1, .is_host = is_host},
                              .here = fixture_free_stack,
                              .own = own};
}

static void arguments(void **state) {
  (void)state;
  struct cs_evidence evidence = launch(fixture_own.start + 8, 0, &fixture_own_freed);
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_STALE_ARGUMENT);
  golden_compare("stale-argument", &evidence);
  evidence = launch(fixture_own.start + 400, 0, &fixture_own_freed);
  golden_compare("stale-argument-end", &evidence);
  evidence = launch(0x7ffc12345678, 1, NULL);
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_HOST_POINTER);
  golden_compare("host-pointer", &evidence);
  evidence.kernel = evidence.call = NULL;
  evidence.argument.index = 0xffffffff;
  evidence.here.count = 0;
  golden_compare("host-pointer-of-unknown-kernel", &evidence);
}

static struct cs_evidence changed(cs_i64 offset, cs_u64 launches, const struct cs_report_launch *launch) {
  return (struct cs_evidence){
      .event = CS_EVENT_CANARY,
      .count = 1,
      .kernel = launches ? "_Z6gatherPKfPf" : NULL,
      .call = "cuMemFree_v2",
      .canary = {.address = fixture_own.start + (cs_u64)offset, .size = 4, .launches = launches},
      .launch = launch,
      .here = fixture_free_stack,
      .own = &fixture_own};
}

static void canaries(void **state) {
  (void)state;
  const struct cs_report_launch last = {.stack = fixture_own.allocated_by};
  struct cs_evidence evidence = changed(400, 1, &last);
  struct cs_finding f = diagnose(&evidence);
  assert_int_equal(f.kind, CS_KIND_MEMORY_CORRUPTION);
  assert_ptr_equal(f.where.frames, last.stack.frames);
  golden_compare("canary-of-one-launch", &evidence);
  evidence = changed(402, 7, &last);
  assert_ptr_equal(diagnose(&evidence).where.frames, fixture_free_stack.frames);
  golden_compare("canary-of-several-launches", &evidence);
  evidence = changed(-4, 0, NULL);
  assert_int_equal(diagnose(&evidence).before, 1);
  evidence.call = NULL;
  evidence.here.count = 0;
  golden_compare("canary-before-the-start", &evidence);
}

static void orders(void **state) {
  (void)state;
  const struct cs_report_launch use = {.stack = fixture_own.allocated_by};
  struct cs_evidence evidence = launch(fixture_own.start + 8, 0, &fixture_own);
  evidence.order = CS_ORDER_BEFORE_ALLOCATION;
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_STREAM_ORDER);
  golden_compare("stream-order-before-allocation", &evidence);
  evidence = call(0, 16, &fixture_own_freed);
  evidence.order = CS_ORDER_AFTER_FREE;
  golden_compare("stream-order-after-free", &evidence);
  evidence = (struct cs_evidence){.event = CS_EVENT_FREE,
                                  .count = 1,
                                  .call = "cuMemFreeAsync",
                                  .free.pointer = fixture_own.start,
                                  .here = fixture_free_stack,
                                  .launch = &use,
                                  .order = CS_ORDER_FREE_BEFORE_USE,
                                  .own = &fixture_own};
  assert_int_equal(diagnose(&evidence).kind, CS_KIND_STREAM_ORDER);
  golden_compare("stream-order-free-before-use", &evidence);
}

/* Memory of a pool that was never handed out is not poisoned by the program. */
static void pool_memory(void **state) {
  (void)state;
  struct cs_buffer pool = fixture_own_poisoned;
  pool.is_pool = 1;
  struct cs_record record = fixture_record(SITE_STORE, 16, 4);
  struct cs_evidence evidence = fixture_evidence(&record, &pool);
  record.word = 0;
  golden_compare("in-no-sub-allocation", &evidence);
}

/* The program's call: the runtime's if the stack starts with it, else the driver's as cuda.h has it. The fingerprint
 * stays. */
static void calls_are_named_as_in_the_program(void **state) {
  (void)state;
  static const struct cs_source runtime[] = {{.function = "cudaMemcpy", .module = "libcudart.so", .pc = 0x1000},
                                             {.function = "main", .file = "/src/a.cu", .line = 3, .pc = 0x2000}};
  static const struct cs_source template[] = {{.function = "cudaMalloc<int>", .file = "runtime.h", .line = 9, .pc = 1}};
  const struct cs_stack with = {runtime, 2}, without = {runtime + 1, 1}, header = {template, 1};
  char room[CS_REPORT_CALL_ROOM];
  assert_string_equal(cs_report_call("cuMemcpyHtoD_v2", &with, room, sizeof room), "cudaMemcpy");
  assert_string_equal(cs_report_call("cuMemcpyHtoD_v2", &without, room, sizeof room), "cuMemcpyHtoD");
  assert_string_equal(cs_report_call("cuMemcpyHtoD_v2_ptds", &without, room, sizeof room), "cuMemcpyHtoD");
  assert_string_equal(cs_report_call("cuMemsetD2D8_v2", &header, room, sizeof room), "cuMemsetD2D8");
  assert_string_equal(cs_report_call("cublasSgemm_v2_64", &without, room, sizeof room), "cublasSgemm_v2_64");
  assert_string_equal(cs_report_call("malloc in a kernel", &with, room, sizeof room), "malloc in a kernel");
  assert_string_equal(cs_report_call("cusafe_carve", &with, room, sizeof room), "cusafe_carve");

  struct cs_evidence evidence = {.event = CS_EVENT_API, .call = "cuMemcpyHtoD_v2", .here = with};
  struct cs_finding of_runtime, of_driver;
  assert_int_equal(cs_diagnose(&evidence, &of_runtime), 0);
  evidence.here = without;
  assert_int_equal(cs_diagnose(&evidence, &of_driver), 0);
  assert_string_equal(of_runtime.call, "cudaMemcpy");
  assert_string_equal(of_driver.call, "cuMemcpyHtoD");
  assert_string_equal(of_runtime.fingerprint, of_driver.fingerprint);
  cs_finding_release(&of_runtime);
  cs_finding_release(&of_driver);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pool_memory),
      cmocka_unit_test(calls_are_named_as_in_the_program),
      cmocka_unit_test(calls_are_distinguished),
      cmocka_unit_test(calls),
      cmocka_unit_test(leaks),
      cmocka_unit_test(leaks_are_located_at_the_first_line),
      cmocka_unit_test(arguments),
      cmocka_unit_test(canaries),
      cmocka_unit_test(orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
