/* rand.c: cuRAND's host interface. */
#define TITLE "cuRAND"
#define STATUS "CURAND_STATUS_INITIALIZATION_FAILED"
#include "cpu/libraries/calls.h"
#include "cpu/libraries/rand_numbers.h"
#include "cpu/libraries/work.h"
#include <stdlib.h>

/* curandStatus_t, with the values of curand.h. */
enum {
  SUCCESS = 0,
  NOT_INITIALIZED = 101,
  ALLOCATION_FAILED = 102,
  TYPE_ERROR = 103,
  OUT_OF_RANGE = 104,
  LENGTH_NOT_MULTIPLE = 105,
  LAUNCH_FAILURE = 201,
  REFUSED = 203
};

/* A curandGenerator_t. Each piece of submitted work refers to it, too; work that a graph owns always does. */
struct generator {
  _Atomic int references;
  int is_host;  /* results are in host memory, when the call returns */
  int restarts; /* the next results are the first of the setup */
  CUstream stream;
  struct cs_rand_setup setup;
  struct cs_rand_state state; /* owned by the work */
};

static void release(struct generator *g) {
  if (atomic_fetch_sub(&g->references, 1) > 1)
    return;
  cs_rand_end(&g->state);
  free(g);
}

/* How many sequences the guide documents for the generator's order. */
static uint32_t sequences_of(enum cs_rand_kind kind, int is_legacy) {
  switch (kind) {
  case CS_RAND_XORWOW:
    return 4096;
  case CS_RAND_MRG32K3A:
    return is_legacy ? 4096 : 81920;
  case CS_RAND_PHILOX:
    return 65536;
  case CS_RAND_SOBOL32:
  case CS_RAND_SOBOL64:
    break;
  }
  return 0;
}

static int create(struct generator **to, int type, int is_host, const char *call) {
  static const struct {
    int type; /* curandRngType_t */
    enum cs_rand_kind kind;
    const char *refused;
  } kinds[] = {
      {100, CS_RAND_XORWOW, NULL},
      {101, CS_RAND_XORWOW, NULL},
      {121, CS_RAND_MRG32K3A, NULL},
      {141, 0, "the CPU device's cuRAND does not have the generator MTGP32: use another one"},
      {142, 0, "the CPU device's cuRAND does not have the generator MT19937: use another one"},
      {161, CS_RAND_PHILOX, NULL},
      {200, CS_RAND_SOBOL32, NULL},
      {201, CS_RAND_SOBOL32, NULL},
      {202, 0, "the CPU device's cuRAND does not have scrambled Sobol sequences: use CURAND_RNG_QUASI_SOBOL32"},
      {203, CS_RAND_SOBOL64, NULL},
      {204, 0, "the CPU device's cuRAND does not have scrambled Sobol sequences: use CURAND_RNG_QUASI_SOBOL64"},
  };
  size_t i = 0;
  while (i < sizeof kinds / sizeof *kinds && kinds[i].type != type)
    i++;
  if (!to)
    return NOT_INITIALIZED;
  *to = NULL;
  if (i == sizeof kinds / sizeof *kinds)
    return TYPE_ERROR;
  if (kinds[i].refused) {
    cs_library_refuse_for(call, 0, kinds[i].refused);
    return REFUSED;
  }
  if (!is_host && cs_library_start())
    return REFUSED;
  if (!(*to = calloc(1, sizeof **to)))
    return ALLOCATION_FAILED;
  atomic_init(&(*to)->references, 1);
  (*to)->is_host = is_host;
  (*to)->restarts = 1;
  (*to)->setup =
      (struct cs_rand_setup){.kind = kinds[i].kind, .sequences = sequences_of(kinds[i].kind, 0), .dimensions = 1};
  return SUCCESS;
}

#define PUBLIC(name, parameters)                                                                                       \
  int name parameters;                                                                                                 \
  int name parameters

PUBLIC(curandCreateGenerator, (struct generator * *generator, int type)) {
  return create(generator, type, 0, __func__);
}
PUBLIC(curandCreateGeneratorHost, (struct generator * *generator, int type)) {
  return create(generator, type, 1, __func__);
}

PUBLIC(curandDestroyGenerator, (struct generator * g)) {
  if (!g)
    return NOT_INITIALIZED;
  release(g);
  return SUCCESS;
}

PUBLIC(curandSetStream, (struct generator * g, CUstream stream)) {
  if (!g)
    return NOT_INITIALIZED;
  g->stream = stream;
  return SUCCESS;
}

/* Settings take effect with the next results, which start again. */
PUBLIC(curandSetPseudoRandomGeneratorSeed, (struct generator * g, unsigned long long seed)) {
  if (!g)
    return NOT_INITIALIZED;
  if (cs_rand_is_quasi(g->setup.kind))
    return TYPE_ERROR;
  g->setup.seed = seed;
  g->restarts = 1;
  return SUCCESS;
}

PUBLIC(curandSetGeneratorOffset, (struct generator * g, unsigned long long offset)) {
  if (!g)
    return NOT_INITIALIZED;
  g->setup.offset = offset;
  g->restarts = 1;
  return SUCCESS;
}

PUBLIC(curandSetGeneratorOrdering, (struct generator * g, int order)) {
  enum { BEST = 100, DEFAULT = 101, SEEDED = 102, LEGACY = 103, DYNAMIC = 104, QUASI = 201 };
  if (!g)
    return NOT_INITIALIZED;
  int is_quasi = cs_rand_is_quasi(g->setup.kind);
  if (is_quasi ? order != QUASI : order < BEST || order > DYNAMIC || (order == DYNAMIC && g->is_host))
    return OUT_OF_RANGE;
  g->setup.sequences = sequences_of(g->setup.kind, order == LEGACY);
  g->setup.is_seeded = order == SEEDED && g->setup.kind == CS_RAND_XORWOW;
  g->restarts = 1;
  return SUCCESS;
}

PUBLIC(curandSetQuasiRandomGeneratorDimensions, (struct generator * g, unsigned dimensions)) {
  enum { MAX_DIMENSIONS = 20000 };
  if (!g)
    return NOT_INITIALIZED;
  if (!cs_rand_is_quasi(g->setup.kind))
    return TYPE_ERROR;
  if (!dimensions || dimensions > MAX_DIMENSIONS)
    return OUT_OF_RANGE;
  if (dimensions > CS_RAND_SOBOL_DIMENSIONS) {
    cs_library_refuse_for(__func__, 0, "the CPU device's cuRAND has Sobol sequences of up to 21 dimensions");
    return REFUSED;
  }
  g->setup.dimensions = dimensions;
  g->restarts = 1;
  return SUCCESS;
}

struct work {
  struct generator *generator;
  struct cs_rand_setup setup;
  int restarts, is_kept; /* a graph owns the work, and runs it as often as it is launched */
  struct cs_rand_order order;
};

static void run(void *arguments) {
  const struct work *work = arguments;
  struct generator *g = work->generator;
  if (work->restarts)
    cs_rand_restart(&g->state, &work->setup);
  cs_rand_generate(&g->state, &work->order);
  if (!work->is_kept)
    release(g);
}

static int submit(struct generator *g, struct cs_rand_order order) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  if (!g->is_host && cuStreamIsCapturing(g->stream, &status))
    return LAUNCH_FAILURE;
  order.to = cs_library_plain(order.to);
  struct work work = {g, g->setup, g->restarts, status != CU_STREAM_CAPTURE_STATUS_NONE, order};
  g->restarts = 0;
  atomic_fetch_add(&g->references, 1);
  if (g->is_host) {
    run(&work);
  } else if (cs_library_submit(g->stream, run, &work, sizeof work)) {
    release(g);
    return LAUNCH_FAILURE;
  }
  return SUCCESS;
}

static int generate(struct generator *g, struct cs_rand_order order) {
  if (!g)
    return NOT_INITIALIZED;
  int is_quasi = cs_rand_is_quasi(g->setup.kind), is_long = g->setup.kind == CS_RAND_SOBOL64;
  int is_normal = order.result == CS_RAND_NORMAL || order.result == CS_RAND_NORMAL_DOUBLE;
  if ((order.result == CS_RAND_BITS && is_long) || (order.result == CS_RAND_LONG_BITS && !is_long))
    return TYPE_ERROR;
  if (is_quasi ? order.count % g->setup.dimensions != 0 : is_normal && order.count % 2 != 0)
    return LENGTH_NOT_MULTIPLE;
  return submit(g, order);
}

/* Makes the states, which the next results would do as well. */
PUBLIC(curandGenerateSeeds, (struct generator * g)) {
  return g ? submit(g, (struct cs_rand_order){.result = CS_RAND_BITS}) : NOT_INITIALIZED;
}

#define GENERATE(name, type, kind)                                                                                     \
  PUBLIC(name, (struct generator * g, type * to, size_t count)) {                                                      \
    return generate(g, (struct cs_rand_order){.result = kind, .to = to, .count = count});                              \
  }
GENERATE(curandGenerate, unsigned, CS_RAND_BITS)
GENERATE(curandGenerateLongLong, unsigned long long, CS_RAND_LONG_BITS)
GENERATE(curandGenerateUniform, float, CS_RAND_UNIFORM)
GENERATE(curandGenerateUniformDouble, double, CS_RAND_UNIFORM_DOUBLE)

#define GENERATE_NORMAL(name, type, kind, logarithmic)                                                                 \
  PUBLIC(name, (struct generator * g, type * to, size_t count, type mean, type deviation)) {                           \
    return generate(g, (struct cs_rand_order){kind, logarithmic, (double)mean, (double)deviation, to, count});         \
  }
GENERATE_NORMAL(curandGenerateNormal, float, CS_RAND_NORMAL, 0)
GENERATE_NORMAL(curandGenerateNormalDouble, double, CS_RAND_NORMAL_DOUBLE, 0)
GENERATE_NORMAL(curandGenerateLogNormal, float, CS_RAND_NORMAL, 1)
GENERATE_NORMAL(curandGenerateLogNormalDouble, double, CS_RAND_NORMAL_DOUBLE, 1)

PUBLIC(curandGeneratePoisson, (struct generator * g, unsigned *to, size_t count, double mean)) {
  const double max_mean = 400000;
  if (g && !(mean > 0 && mean <= max_mean))
    return OUT_OF_RANGE;
  return generate(g, (struct cs_rand_order){.result = CS_RAND_POISSON, .mean = mean, .to = to, .count = count});
}
