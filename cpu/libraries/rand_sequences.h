/* rand_sequences.h: the sequences of cuRAND's generators, by the published algorithms. */
#ifndef CUSAFE_CPU_LIBRARIES_RAND_SEQUENCES_H
#define CUSAFE_CPU_LIBRARIES_RAND_SEQUENCES_H

#include <stdint.h>

enum cs_rand_kind { CS_RAND_XORWOW, CS_RAND_MRG32K3A, CS_RAND_PHILOX, CS_RAND_SOBOL32, CS_RAND_SOBOL64 };
static inline int cs_rand_is_quasi(enum cs_rand_kind kind) {
  return kind >= CS_RAND_SOBOL32;
}

/* What determines a generator's results. */
struct cs_rand_setup {
  enum cs_rand_kind kind;
  uint64_t seed, offset;
  uint32_t sequences; /* that are interleaved, of a pseudorandom generator */
  int is_seeded;      /* each of them has its own seed: no skip is necessary */
  uint32_t dimensions;
};

/* One of the interleaved sequences, at its next value. */
union cs_rand_sequence {
  struct {
    uint32_t v[5], d;
  } xorwow;
  struct {
    uint32_t first[3], second[3];
  } mrg;
  struct {
    uint64_t number, drawn;
  } philox;
};

/* Puts the sequences at their start, `ahead` values later. */
void cs_rand_start_sequences(const struct cs_rand_setup *setup, uint64_t ahead, union cs_rand_sequence *sequences);
/* The next values of a sequence: 32 bits, of MRG32k3a from 1 to its modulus. */
void cs_rand_draw(const struct cs_rand_setup *setup, union cs_rand_sequence *sequence, int count, uint32_t *to);

/* The directions of a dimension of Sobol's sequence, counted from 0, as numbers of 64 bits. */
enum { CS_RAND_SOBOL_DIMENSIONS = 21 };
void cs_rand_sobol_directions(uint32_t dimension, uint64_t to[64]);

#endif
