/* fft.c: remembers the layout of cuFFT's plans. */
#include "host/libraries/fft.h"
#include "host/base/lock.h"
#include "host/collect/nvidia.h"
#include "host/libraries/values.h"
#include <stdlib.h>

enum { RANKS = 3, OPAQUE = -1 };

/* The arguments of cufftPlanMany; rank 0: unknown; rank OPAQUE: unknown until the number is another plan's. Without an
 * embedding, the data are packed. */
struct layout {
  int rank, n[RANKS];
  const int *in;
  int in_stride, in_distance;
  const int *out;
  int out_stride, out_distance, type, batch;
};

struct plan {
  int number;
  int is_opaque;        /* its callbacks may read and write elsewhere, whatever its layout */
  cs_u64 reads, writes; /* bytes */
  struct plan *next;
};
static struct plan *plans; /* a few: each takes megabytes of the device */

/* cufftType: the bytes of a real number, and which sides are complex. */
static const struct {
  int type, bytes, complex_in, complex_out;
} types[] = {{CUFFT_C2C, 4, 1, 1}, {CUFFT_R2C, 4, 0, 1}, {CUFFT_C2R, 4, 1, 0},
             {CUFFT_Z2Z, 8, 1, 1}, {CUFFT_D2Z, 8, 0, 1}, {CUFFT_Z2D, 8, 1, 0}};

static struct layout many(int rank, const int *n, struct layout l) {
  if (rank < 1 || rank > RANKS || !n)
    return (struct layout){0};
  l.rank = rank;
  for (int i = 0; i < rank; i++)
    l.n[i] = n[i];
  if (!l.in || !l.out)
    l.in = l.out = NULL;
  return l;
}

/* The elements from the first to the last. Of a transform between real and complex numbers, the complex side has half
 * of the last dimension. 0 for arguments that the library rejects. */
static cs_u64 elements(const struct layout *l, const int *embedding, int stride, int distance, int is_half) {
  cs_u64 last = 0, one = 1;
  for (int i = 0; i < l->rank; i++) {
    cs_u64 n = (cs_u64)(is_half && i == l->rank - 1 ? l->n[i] / 2 + 1 : l->n[i]);
    cs_u64 room = embedding && i ? (cs_u64)embedding[i] : n;
    if (l->n[i] <= 0 || (embedding && embedding[i] <= 0))
      return 0;
    last = last * room + n - 1;
    one *= n;
  }
  if (l->batch <= 0 || (embedding && (stride <= 0 || distance < 0)))
    return 0;
  if (!embedding)
    return one * (cs_u64)l->batch;
  return last * (cs_u64)stride + (cs_u64)distance * ((cs_u64)l->batch - 1) + 1;
}

static void measure(const struct layout *l, struct plan *p) {
  for (size_t i = 0; l->rank > 0 && i < sizeof types / sizeof *types; i++)
    if (types[i].type == l->type) {
      int in = types[i].complex_in, out = types[i].complex_out;
      p->reads = (cs_u64)types[i].bytes * (in ? 2 : 1) * elements(l, l->in, l->in_stride, l->in_distance, in && !out);
      p->writes =
          (cs_u64)types[i].bytes * (out ? 2 : 1) * elements(l, l->out, l->out_stride, l->out_distance, out && !in);
    }
}

/* Without memory, the plan has no known layout. is_new: the number was given to a plan just now. */
static void remember(int number, int is_new, const struct layout *l) {
  struct plan *made = l->rank ? calloc(1, sizeof *made) : NULL;
  cs_host_lock(CS_HOST_LOCK_PLANS);
  struct plan **link = &plans;
  while (*link && (*link)->number != number)
    link = &(*link)->next;
  struct plan *old = *link;
  if (old)
    *link = old->next;
  if (made) {
    made->number = number;
    made->is_opaque = l->rank == OPAQUE || (!is_new && old && old->is_opaque);
    if (!made->is_opaque)
      measure(l, made);
    made->next = plans;
    plans = made;
  }
  cs_host_unlock(CS_HOST_LOCK_PLANS);
  free(old);
}

static struct plan find(int number) {
  struct plan found = {0};
  cs_host_lock(CS_HOST_LOCK_PLANS);
  for (const struct plan *p = plans; p; p = p->next)
    if (p->number == number)
      found = *p;
  cs_host_unlock(CS_HOST_LOCK_PLANS);
  return found;
}

struct cs_host_span cs_host_fft_reads(int plan, void **from, const void *to) {
  struct plan p = find(plan);
  cs_u64 base = CS_HOST_PLAIN(*from);
  int is_in_place = base == cs_strip((cs_u64)to);
  cs_u64 bytes = is_in_place && p.reads <= p.writes ? 0 : p.reads; /* which cs_host_fft_writes() compares */
  return (struct cs_host_span){base, 0, bytes, 0, base != 0, 0, 1, CS_ACCESS_READ};
}

struct cs_host_span cs_host_fft_writes(int plan, void **to) {
  struct plan p = find(plan);
  cs_u64 base = CS_HOST_PLAIN(*to);
  return (struct cs_host_span){base, 0, p.writes, 0, base != 0, 0, 1, CS_ACCESS_WRITE};
}

#define CS_HOST_PLAN(name, parameters, arguments, plan_number, is_new, ...)                                            \
  __attribute__((visibility("default"))) int name parameters {                                                         \
    static void *slot;                                                                                                 \
    int(*real) parameters = (int(*) parameters)cs_host_nvidia_function_once(CS_HOST_CUFFT, #name, &slot);              \
    int result = real ? real arguments : cs_host_nvidia_missing(CS_HOST_CUFFT, #name, CUFFT_INTERNAL_ERROR);           \
    if (!result) {                                                                                                     \
      struct layout layout = __VA_ARGS__;                                                                              \
      remember(plan_number, is_new, &layout);                                                                          \
    }                                                                                                                  \
    return result;                                                                                                     \
  }
#include "host/libraries/fft.inc"
