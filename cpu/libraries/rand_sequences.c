/* rand_sequences.c: XORWOW (Marsaglia 2003), MRG32k3a (L'Ecuyer 1999), Philox4x32-10 (Salmon et al. 2011) and Sobol's
 * directions (Joe and Kuo 2008). */
#include "cpu/libraries/rand_sequences.h"
#include <pthread.h>
#include <string.h>

/* XORWOW: a linear map of 160 bits, and a counter that is added. A row of a matrix is the image of one bit. */
enum { WORDS = 5, BITS = 32 * WORDS, WEYL = 362437 };
struct map {
  uint32_t row[BITS][WORDS];
};

static void step(uint32_t v[WORDS]) {
  uint32_t t = v[0] ^ (v[0] >> 2);
  memmove(v, v + 1, (WORDS - 1) * sizeof *v);
  v[4] = (v[4] ^ (v[4] << 4)) ^ (t ^ (t << 1));
}

static void apply(const struct map *map, uint32_t v[WORDS]) {
  uint32_t result[WORDS] = {0};
  for (int bit = 0; bit < BITS; bit++)
    if (v[bit / 32] >> bit % 32 & 1)
      for (int i = 0; i < WORDS; i++)
        result[i] ^= map->row[bit][i];
  memcpy(v, result, sizeof result);
}

static void one_step(struct map *map) {
  memset(map, 0, sizeof *map);
  for (int bit = 0; bit < BITS; bit++) {
    map->row[bit][bit / 32] = (uint32_t)1 << bit % 32;
    step(map->row[bit]);
  }
}

static void square(struct map *map) {
  struct map before = *map;
  for (int bit = 0; bit < BITS; bit++)
    apply(&before, map->row[bit]);
}

/* The map to the next sequence, 2^67 values later. */
static struct map next_xorwow;
static void make_next_xorwow(void) {
  one_step(&next_xorwow);
  for (int i = 0; i < 67; i++)
    square(&next_xorwow);
}

static void skip_xorwow(union cs_rand_sequence *s, uint64_t count) {
  struct map map;
  one_step(&map);
  s->xorwow.d += WEYL * (uint32_t)count;
  for (; count; count >>= 1, square(&map))
    if (count & 1)
      apply(&map, s->xorwow.v);
}

/* Marsaglia's start, with a seed as curand_init() of the public header mixes it in. */
static union cs_rand_sequence seeded_xorwow(uint64_t seed) {
  uint32_t low = 1099087573u * ((uint32_t)seed ^ 0xaad26b49u);
  uint32_t high = 2591861531u * ((uint32_t)(seed >> 32) ^ 0xf7dcefddu);
  return (union cs_rand_sequence){
      .xorwow = {{123456789 + low, 362436069 ^ low, 521288629 + high, 88675123 ^ high, 5783321 + low},
                 6615241 + high + low}};
}

static void start_xorwow(const struct cs_rand_setup *setup, uint64_t ahead, union cs_rand_sequence *to) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  const uint64_t golden = 0x9e3779b97f4a7c15;
  pthread_once(&once, make_next_xorwow);
  to[0] = seeded_xorwow(setup->seed);
  skip_xorwow(&to[0], ahead);
  for (uint32_t i = 1; i < setup->sequences; i++) {
    to[i] = setup->is_seeded ? seeded_xorwow(setup->seed ^ i * golden) : to[i - 1];
    if (setup->is_seeded)
      skip_xorwow(&to[i], ahead);
    else
      apply(&next_xorwow, to[i].xorwow.v);
  }
}

/* MRG32k3a: two recurrences of order 3. */
static const uint64_t modulus[2] = {4294967087, 4294944443};
struct matrix {
  uint64_t at[3][3];
};
/* One step of each: the third element is new, and 810728 or 1370589 times the first is subtracted. */
static const struct matrix one_mrg_step[2] = {{{{0, 1, 0}, {0, 0, 1}, {4294967087 - 810728, 1403580, 0}}},
                                              {{{0, 1, 0}, {0, 0, 1}, {4294944443 - 1370589, 0, 527612}}}};

static struct matrix squared(const struct matrix *a, uint64_t m) {
  struct matrix result = {0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++)
        result.at[i][j] = (result.at[i][j] + a->at[i][k] * a->at[k][j] % m) % m;
  return result;
}

static void multiply(const struct matrix *a, uint32_t v[3], uint64_t m) {
  uint64_t result[3] = {0};
  for (int i = 0; i < 3; i++)
    for (int k = 0; k < 3; k++)
      result[i] = (result[i] + a->at[i][k] * v[k] % m) % m;
  for (int i = 0; i < 3; i++)
    v[i] = (uint32_t)result[i];
}

static void skip_mrg(uint32_t v[3], int which, uint64_t count) {
  struct matrix power = one_mrg_step[which];
  for (; count; count >>= 1, power = squared(&power, modulus[which]))
    if (count & 1)
      multiply(&power, v, modulus[which]);
}

/* Sequences are 2^76 values apart. The seed is mixed in as curand_init() of the public header does. */
static void start_mrg(const struct cs_rand_setup *setup, uint64_t ahead, union cs_rand_sequence *to) {
  enum { SPACING = 76, START = 12345 };
  uint64_t low = setup->seed ? (uint32_t)setup->seed ^ 0x55555555u : 1;
  uint64_t high = setup->seed ? (uint32_t)(setup->seed >> 32) ^ 0xaaaaaaaau : 1;
  for (int i = 0; i < 3; i++) {
    to[0].mrg.first[i] = (uint32_t)((i == 1 ? high : low) * START % modulus[0]);
    to[0].mrg.second[i] = (uint32_t)((i == 1 ? low : high) * START % modulus[1]);
  }
  skip_mrg(to[0].mrg.first, 0, ahead);
  skip_mrg(to[0].mrg.second, 1, ahead);
  struct matrix next[2] = {one_mrg_step[0], one_mrg_step[1]};
  for (int i = 0; i < SPACING; i++)
    for (int which = 0; which < 2; which++)
      next[which] = squared(&next[which], modulus[which]);
  for (uint32_t i = 1; i < setup->sequences; i++) {
    to[i] = to[i - 1];
    multiply(&next[0], to[i].mrg.first, modulus[0]);
    multiply(&next[1], to[i].mrg.second, modulus[1]);
  }
}

static uint32_t draw_mrg(union cs_rand_sequence *s) {
  uint32_t *a = s->mrg.first, *b = s->mrg.second;
  uint64_t first = (1403580 * (uint64_t)a[1] + 810728 * (modulus[0] - a[0])) % modulus[0];
  uint64_t second = (527612 * (uint64_t)b[2] + 1370589 * (modulus[1] - b[0])) % modulus[1];
  a[0] = a[1], a[1] = a[2], a[2] = (uint32_t)first;
  b[0] = b[1], b[1] = b[2], b[2] = (uint32_t)second;
  return (uint32_t)(first > second ? first - second : first + modulus[0] - second);
}

static void philox(uint64_t seed, uint64_t sequence, uint64_t block, uint32_t to[4]) {
  uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
  uint32_t c[4] = {(uint32_t)block, (uint32_t)(block >> 32), (uint32_t)sequence, (uint32_t)(sequence >> 32)};
  for (int round = 0; round < 10; round++) {
    uint64_t p = (uint64_t)0xd2511f53 * c[0], q = (uint64_t)0xcd9e8d57 * c[2];
    uint32_t next[4] = {(uint32_t)(q >> 32) ^ c[1] ^ key[0], (uint32_t)q, (uint32_t)(p >> 32) ^ c[3] ^ key[1],
                        (uint32_t)p};
    memcpy(c, next, sizeof c);
    key[0] += 0x9e3779b9, key[1] += 0xbb67ae85;
  }
  memcpy(to, c, sizeof c);
}

static void draw_philox(uint64_t seed, union cs_rand_sequence *s, int count, uint32_t *to) {
  uint32_t block[4];
  for (int i = 0; i < count; i++) {
    uint64_t at = s->philox.drawn++;
    if (i == 0 || at % 4 == 0)
      philox(seed, s->philox.number, at / 4, block);
    to[i] = block[at % 4];
  }
}

void cs_rand_start_sequences(const struct cs_rand_setup *setup, uint64_t ahead, union cs_rand_sequence *sequences) {
  if (setup->kind == CS_RAND_XORWOW)
    start_xorwow(setup, ahead, sequences);
  else if (setup->kind == CS_RAND_MRG32K3A)
    start_mrg(setup, ahead, sequences);
  else
    for (uint32_t i = 0; i < setup->sequences; i++)
      sequences[i] = (union cs_rand_sequence){.philox = {i, ahead}};
}

void cs_rand_draw(const struct cs_rand_setup *setup, union cs_rand_sequence *sequence, int count, uint32_t *to) {
  if (setup->kind == CS_RAND_PHILOX) {
    draw_philox(setup->seed, sequence, count, to);
    return;
  }
  for (int i = 0; i < count; i++)
    if (setup->kind == CS_RAND_XORWOW) {
      step(sequence->xorwow.v);
      to[i] = sequence->xorwow.v[4] + (sequence->xorwow.d += WEYL);
    } else {
      to[i] = draw_mrg(sequence);
    }
}

/* Joe and Kuo's primitive polynomials, without their first and last coefficients, and initial numbers. The first
 * dimension has none: its directions are single bits. */
static const struct {
  unsigned degree, polynomial, initial[7];
} joe_kuo[CS_RAND_SOBOL_DIMENSIONS] = {
    {0, 0, {0}},
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
};

void cs_rand_sobol_directions(uint32_t dimension, uint64_t to[64]) {
  for (int i = 0; i < 64; i++)
    to[i] = (uint64_t)1 << (63 - i);
  unsigned degree = joe_kuo[dimension].degree;
  for (unsigned i = 0; i < degree; i++)
    to[i] = (uint64_t)joe_kuo[dimension].initial[i] << (63 - i);
  for (unsigned i = degree; degree > 0 && i < 64; i++) {
    to[i] = to[i - degree] ^ (to[i - degree] >> degree);
    for (unsigned k = 1; k < degree; k++)
      if (joe_kuo[dimension].polynomial >> (degree - 1 - k) & 1)
        to[i] ^= to[i - k];
  }
}
