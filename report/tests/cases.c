/* cases.c: the evidence for one finding of each kind. */
#include "report/tests/cases.h"
#include "report/tests/fixture.h"
#include <string.h>

static struct cs_record record;
static struct cs_evidence evidence;

static void access_case(struct cs_record of, const struct cs_buffer *own) {
  record = of;
  evidence = fixture_evidence(&record, own);
}

static void free_case(const struct cs_buffer *own, cs_i64 offset) {
  evidence = (struct cs_evidence){.event = CS_EVENT_FREE,
                                  .count = 1,
                                  .call = "cuMemFree_v2",
                                  .free.pointer = own->start + (cs_u64)offset,
                                  .here = fixture_free_stack,
                                  .own = own};
}

static void call_case(const struct cs_buffer *own, cs_i64 offset, cs_u64 size) {
  evidence =
      (struct cs_evidence){.event = CS_EVENT_API,
                           .count = 1,
                           .call = "cuMemcpyHtoD_v2",
                           .api = {.address = own->start + (cs_u64)offset, .size = size, .access = CS_ACCESS_WRITE},
                           .here = fixture_free_stack,
                           .own = own};
}

static void argument_case(int is_host) {
  evidence = (struct cs_evidence){
      .event = CS_EVENT_ARGUMENT,
      .count = 1,
      .kernel = "_Z6gatherPKfPf",
      .here = fixture_free_stack,
      .call = "cuLaunchKernel",
      .argument = {.pointer = is_host ? 0x7ffc12345678 : fixture_own.start + 8, .index = 1, .is_host = is_host},
      .own = is_host ? NULL : &fixture_own_freed};
}

static void canary_case(cs_u64 launches) {
  static struct cs_report_launch launch = {.grid = {2, 1, 1}, .block = {64, 1, 1}};
  launch.stack = fixture_free_stack;
  evidence = (struct cs_evidence){
      .event = CS_EVENT_CANARY,
      .count = 1,
      .kernel = "_Z6gatherPKfPf",
      .call = "cuMemFree_v2",
      .canary = {.address = fixture_own.start + fixture_own.size, .size = 12, .launches = launches},
      .launch = &launch,
      .own = &fixture_own};
}

/* 391 blocks, two per cell, with errors from block 3 on, most of them in the last cell; 64 x 2 threads, with more
 * errors along x. */
static const struct cs_heat *offending_threads(void) {
  static struct cs_heat heat;
  enum { CELLS = 196, EACH = 300, COLUMNS = 16 };
  heat = (struct cs_heat){.key = 1,
                          .extent = {{391, 1, 1}, {64, 2, 1}},
                          .most = {{390, 0, 0}, {63, 1, 0}},
                          .least = {{~3u, ~0u, ~0u}, {~0u, ~0u, ~0u}}};
  for (cs_u32 i = 1; i < CELLS - 1; i++)
    heat.bins[CS_HEAT_BLOCKS][i] = EACH;
  heat.bins[CS_HEAT_BLOCKS][CELLS - 1] = 100000 - (CELLS - 2) * EACH;
  for (cs_u32 i = 0; i < COLUMNS; i++)
    heat.bins[CS_HEAT_THREADS][i] = heat.bins[CS_HEAT_THREADS][COLUMNS + i] = EACH * i;
  heat.bins[CS_HEAT_THREADS][0] = 100000 - EACH * COLUMNS * (COLUMNS - 1);
  return &heat;
}

/* A known launch, neighbours, and a second buffer that was hit. */
static void out_of_bounds_case(void) {
  static struct cs_buffer around[3];
  static struct cs_report_launch launch = {.grid = {391, 1, 1}, .block = {64, 2, 1}};
  around[0] = (struct cs_buffer){.start = fixture_own.start - 512, .size = 300};
  around[1] = (struct cs_buffer){.start = fixture_own.start + 1024, .size = 500, .freed = 1};
  around[2] = (struct cs_buffer){.start = fixture_own.start + (24ull << 40), .size = 64};
  launch.stack = fixture_free_stack;
  access_case(fixture_record(SITE_STORE, 512 + 128, 4), &fixture_own);
  evidence.count = 100000;
  evidence.touched = &fixture_other;
  evidence.around = around;
  evidence.around_count = 3;
  evidence.launch = &launch;
  evidence.access.heat = offending_threads();
}

static void null_case(void) {
  access_case(fixture_record(SITE_POINTER, 0, 4), NULL);
  record.root = record.word = 0;
  record.address = 16;
}

static void field_case(void) {
  access_case(fixture_record(SITE_FIELD, 0, 4), NULL);
  record.size = 4;
  record.start = 4;
}

/* Launches at two places, and a graph's. */
static const struct cs_report_launch *several_launches(void) {
  static struct cs_launch_place places[3];
  static struct cs_report_launch launch;
  places[0] = (struct cs_launch_place){.grid = {2, 1, 1}, .block = {64, 1, 1}, .stack = fixture_free_stack, .count = 1};
  places[1] = (struct cs_launch_place){.stack = fixture_own.allocated_by, .count = 4};
  places[2] = (struct cs_launch_place){
      .stack = fixture_free_stack, .count = 2, .is_graph = 1, .node = fixture_own.allocated_by};
  launch = (struct cs_report_launch){.count = 9, .places = places, .place_count = 3};
  return &launch;
}

static void wild_case(void) {
  access_case(fixture_record(SITE_STORE, 512 * 100000, 4), NULL);
  record.root = cs_mark(record.address, fixture_own.start);
  record.word = 0;
  evidence.launch = several_launches();
}

static void freed_case(void) {
  access_case(fixture_record(SITE_GATHER, 8, 4), &fixture_own_freed);
  record.word = 0;
}

static void race_case(void) {
  access_case(fixture_named(SITE_RACE, 8, 128), NULL);
  record.other_site = SITE_RACE_WITH;
  record.other_thread[0] = 3;
  memcpy(record.other_block, record.block, sizeof record.block);
}

static void copy_case(void) {
  race_case();
  record.variable_site = 1;
}

static void barrier_case(void) {
  access_case(fixture_named(SITE_BARRIER, 0, 0), NULL);
  record.other_site = SITE_BARRIER;
  record.other_thread[0] = 3;
}

static void deadlock_case(void) {
  access_case(fixture_named(SITE_WAIT, 0, 0), NULL);
  record.size = 96;
  record.start = 31;
  record.bytes = 128;
  record.other_site = SITE_BARRIER;
  record.other_thread[0] = 3;
}

static void mask_case(void) {
  access_case(fixture_named(SITE_MASK, 0, 0), NULL);
  record.size = 0xffffffff;
  record.start = 0xffff;
  record.bytes = CS_MASK_ABSENT;
  record.other_site = SITE_BARRIER;
  record.other_thread[0] = 16;
  record.other_thread[1] = 0;
}

static void mbarrier_case(void) {
  access_case(fixture_named(SITE_MBARRIER, 0, 0), NULL);
  record.size = 1;
  record.start = 4;
  record.bytes = CS_MBARRIER_UNORDERED;
  record.other_site = SITE_WAIT;
  record.other_thread[0] = record.other_thread[1] = 0;
}

static void init_case(void) {
  access_case(fixture_record(SITE_INIT, 8, 0), &fixture_own);
  record.other_site = SITE_GATHER;
}

const struct cs_evidence *case_of_kind(enum cs_kind kind) {
  switch (kind) {
  case CS_KIND_OUT_OF_BOUNDS:
    out_of_bounds_case();
    break;
  case CS_KIND_USE_AFTER_FREE:
    freed_case();
    break;
  case CS_KIND_WILD_POINTER:
    wild_case();
    break;
  case CS_KIND_DOUBLE_FREE:
    free_case(&fixture_own_freed, 0);
    break;
  case CS_KIND_INVALID_FREE:
    free_case(&fixture_own, 8);
    break;
  case CS_KIND_USE_AFTER_SCOPE:
    access_case(fixture_named(SITE_LOCAL, 8, 0), NULL);
    break;
  case CS_KIND_FIELD_OVERFLOW:
    field_case();
    break;
  case CS_KIND_NULL_POINTER:
    null_case();
    break;
  case CS_KIND_MISALIGNED:
    access_case(fixture_named(SITE_LOCAL, 2, 64), NULL);
    break;
  case CS_KIND_API_OUT_OF_BOUNDS:
    call_case(&fixture_own, 0, 496);
    break;
  case CS_KIND_API_USE_AFTER_FREE:
    call_case(&fixture_own_freed, 8, 16);
    break;
  case CS_KIND_LEAK:
    evidence = (struct cs_evidence){.event = CS_EVENT_LEAK, .count = 30, .leak.bytes = 12000, .own = &fixture_own};
    break;
  case CS_KIND_MEMORY_CORRUPTION:
    canary_case(1);
    break;
  case CS_KIND_USE_AFTER_POISON:
    call_case(&fixture_own_poisoned, 8, 16);
    break;
  case CS_KIND_DATA_RACE:
    race_case();
    break;
  case CS_KIND_ASYNC_COPY_RACE:
    copy_case();
    break;
  case CS_KIND_BARRIER_DIVERGENCE:
    barrier_case();
    break;
  case CS_KIND_DEADLOCK:
    deadlock_case();
    break;
  case CS_KIND_INVALID_MASK:
    mask_case();
    break;
  case CS_KIND_MBARRIER_MISUSE:
    mbarrier_case();
    break;
  case CS_KIND_UNINITIALISED_USE:
    init_case();
    break;
  case CS_KIND_STREAM_ORDER:
    call_case(&fixture_own, 0, 16);
    evidence.order = CS_ORDER_BEFORE_ALLOCATION;
    break;
  default:
    argument_case(kind == CS_KIND_HOST_POINTER);
  }
  return &evidence;
}
