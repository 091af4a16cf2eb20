/* rand_numbers.c: numbers of all distributions from the sequences of a generator. */
#include "cpu/libraries/rand_numbers.h"
#include "cpu/libraries/work.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

union number {
  uint32_t bits;
  uint64_t long_bits;
  float single;
  double twice;
};

static size_t bytes_of(enum cs_rand_result result) {
  return result == CS_RAND_LONG_BITS || result == CS_RAND_UNIFORM_DOUBLE || result == CS_RAND_NORMAL_DOUBLE ? 8 : 4;
}

/* Poisson numbers: the cumulated probabilities of first, first + 1 and so on. */
struct poisson {
  uint32_t first;
  size_t count;
  double *cumulated;
};

static struct poisson make_poisson(double mean) {
  double spread = 9 * sqrt(mean) + 20;
  struct poisson p = {mean > spread ? (uint32_t)(mean - spread) : 0, 0, NULL};
  p.count = (size_t)(mean + spread) + 1 - p.first;
  p.cumulated = cs_library_allocate(p.count * sizeof *p.cumulated);
  int sign;
  double sum = 0, each = exp(p.first * log(mean) - mean - lgamma_r(p.first + 1.0, &sign));
  for (size_t i = 0; i < p.count; i++) {
    p.cumulated[i] = sum += each;
    each *= mean / ((double)p.first + (double)i + 1);
  }
  for (size_t i = 0; i < p.count; i++)
    p.cumulated[i] /= sum;
  return p;
}

/* The least number whose cumulated probability is u or more. */
static uint32_t poisson_quantile(const struct poisson *p, double u) {
  size_t low = 0, high = p->count - 1;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (u <= p->cumulated[middle])
      high = middle;
    else
      low = middle + 1;
  }
  return p->first + (uint32_t)low;
}

/* For p from 0, which is excluded, to 0.5: an approximation of Hastings (1955), and two steps of Halley's method. */
static double lower_normal_quantile(double p) {
  const double root_of_2_pi = 2.5066282746310002;
  double t = sqrt(-2 * log(p));
  double x = (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))) - t;
  for (int i = 0; i < 2; i++) {
    double error = (0.5 * erfc(-x * M_SQRT1_2) - p) * root_of_2_pi * exp(x * x / 2);
    x -= error / (1 + x * error / 2);
  }
  return x;
}
/* p is of a grid that is symmetric to 0.5. */
static double normal_quantile(double p) {
  return p <= 0.5 ? lower_normal_quantile(p) : -lower_normal_quantile(1 - p);
}

/* Centres of 2^32 and of 2^53 intervals of (0, 1). */
static double centre(uint32_t x) {
  return x * 0x1p-32 + 0x1p-33;
}
static double long_centre(uint64_t x) {
  return (double)x * 0x1p-53 + 0x1p-54;
}
static float single_centre(uint32_t x) {
  return (float)x * 0x1p-32f + 0x1p-33f;
}
static double centre_of_two(const uint32_t *x) {
  return long_centre(x[0] ^ (uint64_t)x[1] << 21);
}

/* 1 / 4294967088, and the factor that spreads MRG32k3a's values over 32 bits, as the public header rounds them. */
static const double mrg_norm = 2.3283065498378288e-10, mrg_bits = 1.000000048662;

static void store_normal(const struct cs_rand_order *order, double x, union number *to) {
  if (order->result == CS_RAND_NORMAL_DOUBLE) {
    x = order->mean + order->deviation * x;
    to->twice = order->is_log ? exp(x) : x;
  } else {
    float y = fmaf((float)order->deviation, (float)x, (float)order->mean);
    to->single = order->is_log ? expf(y) : y;
  }
}

/* Two normal numbers by the method of Box and Muller, of u and v in (0, 1). */
static void store_normals(const struct cs_rand_order *order, double u, double v, union number to[2]) {
  double radius = sqrt(-2 * log(u)), angle = 2 * M_PI * v;
  store_normal(order, radius * sin(angle), &to[0]);
  store_normal(order, radius * cos(angle), &to[1]);
}
static void store_single_normals(const struct cs_rand_order *order, float u, float v, union number to[2]) {
  float radius = sqrtf(-2 * logf(u)), angle = (float)(2 * M_PI) * v;
  store_normal(order, (double)(radius * sinf(angle)), &to[0]);
  store_normal(order, (double)(radius * cosf(angle)), &to[1]);
}

/* How many values of a sequence a group of results takes, and how many results it has. */
static int draws_of(enum cs_rand_kind kind, enum cs_rand_result result) {
  int is_double = bytes_of(result) == 8;
  if (kind == CS_RAND_PHILOX)
    return is_double ? 8 : 4;
  int pair = result == CS_RAND_NORMAL || result == CS_RAND_NORMAL_DOUBLE ? 2 : 1;
  return kind == CS_RAND_XORWOW && is_double ? 2 * pair : pair;
}
static int group_of(enum cs_rand_kind kind, enum cs_rand_result result) {
  return kind == CS_RAND_PHILOX ? 4 : result == CS_RAND_NORMAL || result == CS_RAND_NORMAL_DOUBLE ? 2 : 1;
}

/* The results of MRG32k3a, whose values are made numbers of (0, 1) by a factor. */
static void convert_mrg(const struct cs_rand_order *order, const struct poisson *poisson, const uint32_t *x,
                        union number *to) {
  double u = x[0] * mrg_norm;
  switch (order->result) {
  case CS_RAND_BITS:
  case CS_RAND_LONG_BITS:
    to->bits = (uint32_t)(x[0] * mrg_bits);
    break;
  case CS_RAND_UNIFORM:
    to->single = (float)u;
    break;
  case CS_RAND_UNIFORM_DOUBLE:
    to->twice = u;
    break;
  case CS_RAND_NORMAL:
    store_single_normals(order, (float)u, (float)(x[1] * mrg_norm), to);
    break;
  case CS_RAND_NORMAL_DOUBLE:
    store_normals(order, u, x[1] * mrg_norm, to);
    break;
  case CS_RAND_POISSON:
    to->bits = poisson_quantile(poisson, u);
    break;
  }
}

/* The results of XORWOW and Philox from all bits, `group` of them. */
static void convert_bits(const struct cs_rand_order *order, const struct poisson *poisson, const uint32_t *x, int group,
                         union number *to) {
  for (int i = 0; i < group; i++)
    switch (order->result) {
    case CS_RAND_BITS:
    case CS_RAND_LONG_BITS:
      to[i].bits = x[i];
      break;
    case CS_RAND_UNIFORM:
      to[i].single = single_centre(x[i]);
      break;
    case CS_RAND_UNIFORM_DOUBLE:
      to[i].twice = centre_of_two(&x[2 * i]);
      break;
    case CS_RAND_NORMAL:
      if (i % 2 == 0)
        store_single_normals(order, single_centre(x[i]), single_centre(x[i + 1]), &to[i]);
      break;
    case CS_RAND_NORMAL_DOUBLE:
      if (i % 2 == 0)
        store_normals(order, centre_of_two(&x[2 * i]), centre_of_two(&x[2 * i + 2]), &to[i]);
      break;
    case CS_RAND_POISSON:
      to[i].bits = poisson_quantile(poisson, centre(x[i]));
      break;
    }
}

static void next_group(struct cs_rand_state *state) {
  state->next = (state->next + 1) % state->setup.sequences;
  state->used = 0;
}

/* Groups of results are of the sequences in turn. A group of Philox, of four, may be interrupted, and is continued by
 * the same kind of results; before others, it ends. */
static void generate_pseudo(struct cs_rand_state *state, const struct cs_rand_order *order,
                            const struct poisson *poisson) {
  enum { MAX_DRAWS = 8, MAX_GROUP = 4 };
  int draws = draws_of(state->setup.kind, order->result), group = group_of(state->setup.kind, order->result);
  size_t bytes = bytes_of(order->result);
  uint32_t x[MAX_DRAWS];
  union number results[MAX_GROUP];
  if (state->used && state->draws != draws) {
    state->sequences[state->next].philox.drawn += (uint64_t)state->draws;
    next_group(state);
  }
  for (size_t done = 0; done < order->count;) {
    union cs_rand_sequence *sequence = &state->sequences[state->next];
    cs_rand_draw(&state->setup, sequence, draws, x);
    if (state->setup.kind == CS_RAND_MRG32K3A)
      convert_mrg(order, poisson, x, results);
    else
      convert_bits(order, poisson, x, group, results);
    for (; state->used < group && done < order->count; state->used++, done++)
      memcpy((char *)order->to + done * bytes, &results[state->used], bytes);
    if (state->used == group) {
      next_group(state);
    } else {
      sequence->philox.drawn -= (uint64_t)draws;
      state->draws = draws;
    }
  }
}

/* One value of Sobol's sequence: 32 bits, or 64 for 64-bit sequences. */
static void convert_sobol(const struct cs_rand_order *order, const struct poisson *poisson, uint64_t x, int is_long,
                          union number *to) {
  uint32_t high = (uint32_t)(x >> 32);
  double p = is_long ? long_centre(x >> 11) : centre(high);
  switch (order->result) {
  case CS_RAND_BITS:
    to->bits = high;
    break;
  case CS_RAND_LONG_BITS:
    to->long_bits = x;
    break;
  case CS_RAND_UNIFORM:
    to->single = single_centre(high);
    break;
  case CS_RAND_UNIFORM_DOUBLE:
    to->twice = is_long ? p : high * 0x1p-32 + 0x1p-32;
    break;
  case CS_RAND_NORMAL:
    store_normal(order, normal_quantile(centre(high)), to);
    break;
  case CS_RAND_NORMAL_DOUBLE:
    store_normal(order, normal_quantile(p), to);
    break;
  case CS_RAND_POISSON:
    to->bits = poisson_quantile(poisson, p);
    break;
  }
}

/* One dimension after the other; number i of each is the sum of the directions of its Gray code. */
static void generate_quasi(struct cs_rand_state *state, const struct cs_rand_order *order,
                           const struct poisson *poisson) {
  size_t each = order->count / state->setup.dimensions, bytes = bytes_of(order->result);
  int is_long = state->setup.kind == CS_RAND_SOBOL64;
  char *to = order->to;
  for (uint32_t dimension = 0; dimension < state->setup.dimensions; dimension++) {
    uint64_t directions[64];
    cs_rand_sobol_directions(dimension, directions);
    for (size_t i = 0; i < each; i++, to += bytes) {
      uint64_t at = state->position + i, code = at ^ (at >> 1), x = 0;
      if (!is_long)
        code = (uint32_t)at ^ ((uint32_t)at >> 1);
      for (int bit = 0; code; bit++, code >>= 1)
        if (code & 1)
          x ^= directions[bit];
      union number number;
      convert_sobol(order, poisson, x, is_long, &number);
      memcpy(to, &number, bytes);
    }
  }
  state->position += each;
}

void cs_rand_generate(struct cs_rand_state *state, const struct cs_rand_order *order) {
  struct poisson poisson = {0};
  if (!order->count)
    return;
  if (order->result == CS_RAND_POISSON)
    poisson = make_poisson(order->mean);
  if (cs_rand_is_quasi(state->setup.kind))
    generate_quasi(state, order, &poisson);
  else
    generate_pseudo(state, order, &poisson);
  free(poisson.cumulated);
}

void cs_rand_end(struct cs_rand_state *state) {
  free(state->sequences);
  *state = (struct cs_rand_state){0};
}

/* The offset is a number of results of 32 bits. */
void cs_rand_restart(struct cs_rand_state *state, const struct cs_rand_setup *setup) {
  cs_rand_end(state);
  state->setup = *setup;
  state->position = setup->offset;
  if (cs_rand_is_quasi(setup->kind))
    return;
  int group = group_of(setup->kind, CS_RAND_BITS);
  uint64_t groups = setup->offset / (uint64_t)group;
  uint32_t x[4];
  state->sequences = cs_library_allocate(setup->sequences * sizeof *state->sequences);
  cs_rand_start_sequences(setup, groups / setup->sequences * (uint64_t)group, state->sequences);
  state->next = (uint32_t)(groups % setup->sequences);
  state->used = (int)(setup->offset % (uint64_t)group);
  state->draws = group;
  for (uint32_t i = 0; i < state->next; i++)
    cs_rand_draw(setup, &state->sequences[i], group, x);
}
