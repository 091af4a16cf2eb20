/* fft.c: cuFFT's plans and their executions. */
#include "cpu/libraries/fft_line.h"
#include "cpu/libraries/work.h"
#include <pthread.h>
#include <stdlib.h>

/* cufftResult, with the values of cufft.h. */
enum {
  SUCCESS = 0,
  INVALID_PLAN = 1,
  ALLOC_FAILED = 2,
  INVALID_TYPE = 3,
  INVALID_VALUE = 4,
  EXEC_FAILED = 6,
  SETUP_FAILED = 7,
  INVALID_SIZE = 8
};

enum { RANKS = 3, FORWARD = -1, INVERSE = 1 };
enum { C2C = 0x29, R2C = 0x2a, C2R = 0x2c, DOUBLE = 0x40 }; /* cufftType; with DOUBLE, of double precision */

/* Where the elements of a side are: at ((i * rooms[1] + j) * rooms[2] + k) * stride, in a batch `distance` apart. */
struct side {
  int64_t rooms[RANKS], stride, distance;
};

/* A plan, or none of its work before it is made: kind is 0. Each piece of submitted work refers to it, too; work that a
 * graph owns always does. */
struct plan {
  _Atomic int references;
  int kind, is_double, is_packed; /* without an embedding: in place, rows of real numbers have room for their result */
  int64_t n[RANKS], batch;        /* unused dimensions come first, and are 1 */
  struct side in, out;
  struct cs_fft_line *lines[RANKS];
  CUstream stream;
};

static void release(struct plan *plan) {
  if (atomic_fetch_sub(&plan->references, 1) > 1)
    return;
  for (int i = 0; i < RANKS; i++)
    cs_fft_line_free(plan->lines[i]);
  free(plan);
}

/* The plans by number, counted from 1. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct plan **plans;
static int plan_count;

static struct plan *find(int number) {
  pthread_mutex_lock(&lock);
  struct plan *plan = number > 0 && number <= plan_count ? plans[number - 1] : NULL;
  pthread_mutex_unlock(&lock);
  return plan;
}

/* Gives the plan the first free number; 0 without memory. */
static int insert(struct plan *plan) {
  int i = 0;
  pthread_mutex_lock(&lock);
  while (i < plan_count && plans[i])
    i++;
  if (i == plan_count) {
    struct plan **more = realloc(plans, (size_t)(plan_count + 1) * sizeof *plans);
    plan_count += more != NULL;
    plans = more ? more : plans;
  }
  int number = i < plan_count ? i + 1 : 0;
  if (number)
    plans[i] = plan;
  pthread_mutex_unlock(&lock);
  return number;
}

static struct plan *take_out(int number) {
  pthread_mutex_lock(&lock);
  struct plan *plan = number > 0 && number <= plan_count ? plans[number - 1] : NULL;
  if (plan)
    plans[number - 1] = NULL;
  pthread_mutex_unlock(&lock);
  return plan;
}

static int64_t half(int64_t n) {
  return n / 2 + 1;
}

/* The arguments of cufftMakePlanMany64. */
struct shape {
  int rank;
  int64_t n[RANKS];
  int is_packed;
  int64_t in[RANKS], in_stride, in_distance, out[RANKS], out_stride, out_distance;
  int type;
  int64_t batch;
};

static int check(const struct shape *s) {
  int kind = s->type & ~DOUBLE;
  if (s->rank < 1 || s->rank > RANKS)
    return INVALID_VALUE;
  if ((kind != C2C && kind != R2C && kind != C2R))
    return INVALID_TYPE;
  for (int i = 0; i < s->rank; i++)
    if (s->n[i] < 1 || (!s->is_packed && (s->in[i] < 1 || s->out[i] < 1)))
      return INVALID_SIZE;
  if (s->batch < 1)
    return INVALID_SIZE;
  return s->is_packed || (s->in_stride > 0 && s->out_stride > 0) ? SUCCESS : INVALID_VALUE;
}

/* Rows of `last` elements, without gaps. */
static struct side packed(const int64_t n[RANKS], int64_t last) {
  return (struct side){{n[0], n[1], last}, 1, n[0] * n[1] * last};
}
static struct side embedded(int rank, const int64_t *rooms, int64_t stride, int64_t distance) {
  struct side side = {{1, 1, 1}, stride, distance};
  for (int i = 0; i < rank; i++)
    side.rooms[RANKS - rank + i] = rooms[i];
  return side;
}

static int make(struct plan *plan, const struct shape *s) {
  int status = check(s);
  if (status != SUCCESS)
    return status;
  if (plan->kind)
    return INVALID_PLAN;
  plan->is_double = (s->type & DOUBLE) != 0;
  plan->is_packed = s->is_packed;
  plan->batch = s->batch;
  for (int i = 0; i < RANKS; i++)
    plan->n[i] = i < RANKS - s->rank ? 1 : s->n[i - (RANKS - s->rank)];
  int kind = s->type & ~DOUBLE;
  int64_t last = plan->n[RANKS - 1];
  plan->in = s->is_packed ? packed(plan->n, kind == C2R ? half(last) : last)
                          : embedded(s->rank, s->in, s->in_stride, s->in_distance);
  plan->out = s->is_packed ? packed(plan->n, kind == R2C ? half(last) : last)
                           : embedded(s->rank, s->out, s->out_stride, s->out_distance);
  for (int i = 0; i < RANKS; i++)
    if (!plan->lines[i] && !(plan->lines[i] = cs_fft_line_make((size_t)plan->n[i])))
      return ALLOC_FAILED;
  plan->kind = kind;
  return SUCCESS;
}

struct execution {
  struct plan *plan;
  int is_inverse, is_kept; /* a graph owns the work, and runs it as often as it is launched */
  const void *from;
  void *to;
};

/* Element i of an array of real or complex numbers. */
static struct cs_fft_number load(const struct plan *plan, const void *from, int is_real, int64_t i) {
  const float *single = from;
  const double *twice = from;
  int64_t at = is_real ? i : 2 * i;
  struct cs_fft_number x = {plan->is_double ? twice[at] : (double)single[at], 0};
  if (!is_real)
    x.im = plan->is_double ? twice[at + 1] : (double)single[at + 1];
  return x;
}
static void store(const struct plan *plan, void *to, int is_real, int64_t i, struct cs_fft_number x) {
  float *single = to;
  double *twice = to;
  for (int part = 0; part < 2 - is_real; part++) {
    int64_t at = is_real ? i : 2 * i + part;
    double value = part ? x.im : x.re;
    if (plan->is_double)
      twice[at] = value;
    else
      single[at] = (float)value;
  }
}

static int64_t place(const struct side *side, int64_t batch, int64_t i, int64_t j, int64_t k) {
  return ((i * side->rooms[1] + j) * side->rooms[2] + k) * side->stride + batch * side->distance;
}

/* Of a transform to real numbers, memory has the first half of each row; the others are the conjugates of those at the
 * opposite place. */
static void gather(const struct execution *e, const struct side *side, int64_t batch, struct cs_fft_number *to) {
  const struct plan *p = e->plan;
  const int64_t *n = p->n;
  for (int64_t i = 0; i < n[0]; i++)
    for (int64_t j = 0; j < n[1]; j++)
      for (int64_t k = 0; k < n[2]; k++, to++) {
        if (p->kind != C2R || k < half(n[2])) {
          *to = load(p, e->from, p->kind == R2C, place(side, batch, i, j, k));
          continue;
        }
        *to = load(p, e->from, 0, place(side, batch, (n[0] - i) % n[0], (n[1] - j) % n[1], n[2] - k));
        to->im = -to->im;
      }
}

static void scatter(const struct execution *e, const struct side *side, int64_t batch,
                    const struct cs_fft_number *from) {
  const struct plan *p = e->plan;
  const int64_t *n = p->n;
  for (int64_t i = 0; i < n[0]; i++)
    for (int64_t j = 0; j < n[1]; j++)
      for (int64_t k = 0; k < n[2]; k++, from++)
        if (p->kind != R2C || k < half(n[2]))
          store(p, e->to, p->kind == C2R, place(side, batch, i, j, k), *from);
}

/* Transforms each line of one dimension. */
static void transform(const struct execution *e, int dimension, struct cs_fft_number *data,
                      struct cs_fft_number *lines) {
  const int64_t *n = e->plan->n;
  int64_t length = n[dimension], total = n[0] * n[1] * n[2], step = 1;
  for (int i = dimension + 1; i < RANKS; i++)
    step *= n[i];
  if (length == 1)
    return;
  for (int64_t line = 0; line < total / length; line++) {
    struct cs_fft_number *first = data + line / step * step * length + line % step;
    for (int64_t i = 0; i < length; i++)
      lines[i] = first[i * step];
    cs_fft_line_run(e->plan->lines[dimension], lines, lines + length, e->is_inverse);
    for (int64_t i = 0; i < length; i++)
      first[i * step] = lines[length + i];
  }
}

static int64_t longest(const struct plan *p) {
  int64_t result = p->n[0] > p->n[1] ? p->n[0] : p->n[1];
  return result > p->n[2] ? result : p->n[2];
}

static void run(void *arguments) {
  const struct execution *e = arguments;
  struct plan *p = e->plan;
  struct side in = p->in, out = p->out;
  if (p->is_packed && e->from == e->to && p->kind != C2C) {
    struct side *real = p->kind == R2C ? &in : &out;
    *real = packed(p->n, 2 * half(p->n[RANKS - 1]));
  }
  struct cs_fft_number *data = cs_library_allocate((size_t)(p->n[0] * p->n[1] * p->n[2]) * sizeof *data);
  struct cs_fft_number *lines = cs_library_allocate((size_t)(2 * longest(p)) * sizeof *lines);
  for (int64_t batch = 0; batch < p->batch; batch++) {
    gather(e, &in, batch, data);
    for (int dimension = 0; dimension < RANKS; dimension++)
      transform(e, dimension, data, lines);
    scatter(e, &out, batch, data);
  }
  free(data);
  free(lines);
  if (!e->is_kept)
    release(p);
}

static int execute(int number, int type, const void *from, void *to, int direction) {
  struct plan *plan = find(number);
  CUstreamCaptureStatus status;
  if (!plan || !plan->kind)
    return INVALID_PLAN;
  if (type != (plan->kind | (plan->is_double ? DOUBLE : 0)) || !from || !to ||
      (direction != FORWARD && direction != INVERSE))
    return INVALID_VALUE;
  if (cuStreamIsCapturing(plan->stream, &status))
    return EXEC_FAILED;
  struct execution e = {plan, direction == INVERSE, status != CU_STREAM_CAPTURE_STATUS_NONE, cs_library_plain(from),
                        cs_library_plain(to)};
  atomic_fetch_add(&plan->references, 1);
  if (!cs_library_submit(plan->stream, run, &e, sizeof e))
    return SUCCESS;
  release(plan);
  return EXEC_FAILED;
}

#define PUBLIC(name, parameters)                                                                                       \
  int name parameters;                                                                                                 \
  int name parameters

PUBLIC(cufftCreate, (int *number)) {
  if (!number)
    return INVALID_VALUE;
  if (cs_library_start())
    return SETUP_FAILED;
  struct plan *plan = calloc(1, sizeof *plan);
  if (!plan)
    return ALLOC_FAILED;
  atomic_init(&plan->references, 1);
  if ((*number = insert(plan)))
    return SUCCESS;
  free(plan);
  return ALLOC_FAILED;
}

PUBLIC(cufftDestroy, (int number)) {
  struct plan *plan = take_out(number);
  if (!plan)
    return INVALID_PLAN;
  release(plan);
  return SUCCESS;
}

PUBLIC(cufftSetStream, (int number, CUstream stream)) {
  struct plan *plan = find(number);
  if (!plan)
    return INVALID_PLAN;
  plan->stream = stream;
  return SUCCESS;
}

/* Transforms have their own memory: no work area is used, and its size is 0. */
PUBLIC(cufftSetWorkArea, (int number, void *area)) {
  (void)area;
  return find(number) ? SUCCESS : INVALID_PLAN;
}
PUBLIC(cufftSetAutoAllocation, (int number, int is_automatic)) {
  (void)is_automatic;
  return find(number) ? SUCCESS : INVALID_PLAN;
}

static int no_area(size_t *bytes, int status) {
  if (bytes && status == SUCCESS)
    *bytes = 0;
  return status;
}
PUBLIC(cufftGetSize, (int number, size_t *bytes)) {
  return no_area(bytes, find(number) ? SUCCESS : INVALID_PLAN);
}

static int make_numbered(int number, struct shape shape, size_t *bytes) {
  struct plan *plan = find(number);
  return no_area(bytes, plan ? make(plan, &shape) : INVALID_PLAN);
}
static int measure(int number, struct shape shape, size_t *bytes) {
  return no_area(bytes, find(number) ? check(&shape) : INVALID_PLAN);
}
static int create_and_make(int *number, struct shape shape) {
  int status = check(&shape);
  if (status == SUCCESS)
    status = cufftCreate(number);
  if (status == SUCCESS && (status = make_numbered(*number, shape, NULL)) != SUCCESS)
    cufftDestroy(*number);
  return status;
}

static struct shape simple(int rank, int64_t x, int64_t y, int64_t z, int type, int64_t batch) {
  return (struct shape){.rank = rank, .n = {x, y, z}, .is_packed = 1, .type = type, .batch = batch};
}

/* Without both embeddings, strides and distances are ignored. */
#define MANY(element, name)                                                                                            \
  static struct shape name(int rank, const element *n, const element *in, element in_stride, element in_distance,      \
                           const element *out, element out_stride, element out_distance, int type, element batch) {    \
    struct shape s = {.rank = n ? rank : 0, .is_packed = !in || !out, .type = type, .batch = batch};                   \
    s.in_stride = in_stride, s.in_distance = in_distance, s.out_stride = out_stride, s.out_distance = out_distance;    \
    for (int i = 0; n && i < rank && i < RANKS; i++) {                                                                 \
      s.n[i] = n[i];                                                                                                   \
      s.in[i] = s.is_packed ? 1 : in[i];                                                                               \
      s.out[i] = s.is_packed ? 1 : out[i];                                                                             \
    }                                                                                                                  \
    return s;                                                                                                          \
  }
MANY(int, many)
MANY(long long, many_long)
#define MANY_PARAMETERS(element)                                                                                       \
  int rank, element *n, element *in, element in_stride, element in_distance, element *out, element out_stride,         \
      element out_distance, int type, element batch
#define MANY_ARGUMENTS rank, n, in, in_stride, in_distance, out, out_stride, out_distance, type, batch

PUBLIC(cufftPlan1d, (int *plan, int x, int type, int batch)) {
  return create_and_make(plan, simple(1, x, 0, 0, type, batch));
}
PUBLIC(cufftPlan2d, (int *plan, int x, int y, int type)) {
  return create_and_make(plan, simple(2, x, y, 0, type, 1));
}
PUBLIC(cufftPlan3d, (int *plan, int x, int y, int z, int type)) {
  return create_and_make(plan, simple(3, x, y, z, type, 1));
}
PUBLIC(cufftPlanMany, (int *plan, MANY_PARAMETERS(int))) {
  return create_and_make(plan, many(MANY_ARGUMENTS));
}

#define MAKE_AND_MEASURE(suffix, parameters, ...)                                                                      \
  PUBLIC(cufftMakePlan##suffix, parameters) {                                                                          \
    return make_numbered(plan, __VA_ARGS__, bytes);                                                                    \
  }                                                                                                                    \
  PUBLIC(cufftGetSize##suffix, parameters) {                                                                           \
    return measure(plan, __VA_ARGS__, bytes);                                                                          \
  }
MAKE_AND_MEASURE(1d, (int plan, int x, int type, int batch, size_t *bytes), simple(1, x, 0, 0, type, batch))
MAKE_AND_MEASURE(2d, (int plan, int x, int y, int type, size_t *bytes), simple(2, x, y, 0, type, 1))
MAKE_AND_MEASURE(3d, (int plan, int x, int y, int z, int type, size_t *bytes), simple(3, x, y, z, type, 1))
MAKE_AND_MEASURE(Many, (int plan, MANY_PARAMETERS(int), size_t *bytes), many(MANY_ARGUMENTS))
MAKE_AND_MEASURE(Many64, (int plan, MANY_PARAMETERS(long long), size_t *bytes), many_long(MANY_ARGUMENTS))

#define ESTIMATE(suffix, parameters, ...)                                                                              \
  PUBLIC(cufftEstimate##suffix, parameters) {                                                                          \
    struct shape shape = __VA_ARGS__;                                                                                  \
    return no_area(bytes, check(&shape));                                                                              \
  }
ESTIMATE(1d, (int x, int type, int batch, size_t *bytes), simple(1, x, 0, 0, type, batch))
ESTIMATE(2d, (int x, int y, int type, size_t *bytes), simple(2, x, y, 0, type, 1))
ESTIMATE(3d, (int x, int y, int z, int type, size_t *bytes), simple(3, x, y, z, type, 1))
ESTIMATE(Many, (MANY_PARAMETERS(int), size_t *bytes), many(MANY_ARGUMENTS))

#define EXECUTE(name, type)                                                                                            \
  PUBLIC(name, (int plan, const void *from, void *to, int direction)) {                                                \
    return execute(plan, type, from, to, direction);                                                                   \
  }
EXECUTE(cufftExecC2C, C2C)
EXECUTE(cufftExecZ2Z, C2C | DOUBLE)
#define EXECUTE_REAL(name, type, direction)                                                                            \
  PUBLIC(name, (int plan, const void *from, void *to)) {                                                               \
    return execute(plan, type, from, to, direction);                                                                   \
  }
EXECUTE_REAL(cufftExecR2C, R2C, FORWARD)
EXECUTE_REAL(cufftExecD2Z, R2C | DOUBLE, FORWARD)
EXECUTE_REAL(cufftExecC2R, C2R, INVERSE)
EXECUTE_REAL(cufftExecZ2D, C2R | DOUBLE, INVERSE)
