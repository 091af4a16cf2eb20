// common.h: shared by random kernels and their oracle: the state and contents of buffers, and the checksum of a result.
#ifndef CUSAFE_TESTS_RANDOM_COMMON_H
#define CUSAFE_TESTS_RANDOM_COMMON_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// SHARED: dynamic shared memory; LATER: freed after the first of two launches. The oracle writes the number into the
// plan.
enum State { LIVE, FREED, NONE, SHARED, LATER };

// A byte depends on its distance from the address that the kernel gets, so that the kernel reads the same values for
// any size.
static inline void fill(unsigned char *memory, long bytes, long shift, int buffer) {
  for (long i = 0; i < bytes; i++) {
    uint32_t x = (uint32_t)(i - shift) * 2654435761u + (uint32_t)buffer * 40503u;
    x ^= x >> 15;
    x *= 2246822519u;
    memory[i] = (unsigned char)(x >> 13);
  }
}

static inline uint64_t checksum(uint64_t sum, const unsigned char *data, long bytes) {
  sum ^= 14695981039346656037ull;
  for (long i = 0; i < bytes; i++)
    sum = (sum ^ data[i]) * 1099511628211ull;
  return sum;
}

#endif
