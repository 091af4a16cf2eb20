/* hash.h: a hash for names and for noticing damage, not for security. Every change of one byte changes it. */
#ifndef CUSAFE_JIT_HASH_H
#define CUSAFE_JIT_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define CS_JIT_HASH_START 14695981039346656037ull

/* FNV-1a with words of eight bytes; each step is a bijection of the sum. */
static inline uint64_t cs_jit_hash(uint64_t sum, const void *data, size_t bytes) {
  for (const unsigned char *at = data; bytes; at += 8) {
    uint64_t word = 0;
    size_t step = bytes < 8 ? bytes : 8;
    memcpy(&word, at, step);
    sum = (sum ^ word) * 1099511628211ull;
    sum ^= sum >> 32;
    bytes -= step;
  }
  return sum;
}

#endif
