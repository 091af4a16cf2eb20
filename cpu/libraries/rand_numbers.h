/* rand_numbers.h: the numbers that cuRAND makes of its sequences, in the order that NVIDIA's guide documents. */
#ifndef CUSAFE_CPU_LIBRARIES_RAND_NUMBERS_H
#define CUSAFE_CPU_LIBRARIES_RAND_NUMBERS_H

#include "cpu/libraries/rand_sequences.h"
#include <stddef.h>

/* Where a generator is. Work owns it, in the order of the generator's stream. */
struct cs_rand_state {
  struct cs_rand_setup setup;
  union cs_rand_sequence *sequences;
  uint32_t next; /* the sequence of the next group of results */
  int used;      /* results of that group that were returned, of which it has `draws` values */
  int draws;
  uint64_t position; /* of a quasirandom generator, in each dimension */
};

enum cs_rand_result {
  CS_RAND_BITS,
  CS_RAND_LONG_BITS,
  CS_RAND_UNIFORM,
  CS_RAND_UNIFORM_DOUBLE,
  CS_RAND_NORMAL,
  CS_RAND_NORMAL_DOUBLE,
  CS_RAND_POISSON
};

struct cs_rand_order {
  enum cs_rand_result result;
  int is_log; /* of normal numbers: their exponential functions */
  double mean, deviation;
  void *to;
  size_t count;
};

/* Puts the state where the setup says; starts and ends with cs_rand_end(), whose state may be all 0. */
void cs_rand_restart(struct cs_rand_state *state, const struct cs_rand_setup *setup);
void cs_rand_end(struct cs_rand_state *state);
void cs_rand_generate(struct cs_rand_state *state, const struct cs_rand_order *order);

#endif
