/* linked.h: what cuLinkComplete returns of large PTX modules: their texts, which are lifted when the program has loaded
 * them and wants a kernel. */
#ifndef CUSAFE_CPU_LINKED_H
#define CUSAFE_CPU_LINKED_H

#include <stddef.h>
#include <stdint.h>

#define CS_CPU_LINKED_MAGIC 0x4B4C454641535543ull /* "CUSAFELK" */

/* The texts follow, each with its final 0. */
struct cs_cpu_linked {
  uint64_t magic;
  uint64_t total_bytes;
  uint64_t count;
};

/* For the caller to free; NULL without memory. */
struct cs_cpu_linked *cs_cpu_linked_new(const char *const *ptx, size_t count);
/* The texts, in an array for the caller to free; NULL without memory. */
const char **cs_cpu_linked_texts(const struct cs_cpu_linked *linked);

#endif
