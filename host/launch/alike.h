/* alike.h: launches for which the launch predicate has one value, because they differ only in what it does not read:
 * which buffers they use, rather than where in them their pointers are, and how large the buffers are. Pure
 * functions. */
#ifndef CUSAFE_HOST_LAUNCH_ALIKE_H
#define CUSAFE_HOST_LAUNCH_ALIKE_H

#include "host/launch/predicate.h"

#define CS_HOST_ALIKE_READS CS_HOST_FOUND_MAX
#define CS_HOST_ALIKE_WORDS (4 + 3 * CS_HOST_ALIKE_READS)

/* What a predicate reads of the arguments. */
struct cs_host_alike_reads {
  unsigned count;
  struct {
    unsigned short operation; /* CS_OPERATION_PARAMETER */
    unsigned char is_pointer; /* read only relative to its buffer */
  } at[CS_HOST_ALIKE_READS];
  unsigned char starts[CS_FORM_BOUNDS]; /* 0, or the number plus 1 of the pointer whose buffer's start is this bound */
};

/* Launches with equal keys are alike. */
struct cs_host_alike_key {
  unsigned count;
  cs_u64 words[CS_HOST_ALIKE_WORDS];
  struct cs_host_found found; /* the buffers; not part of what is compared */
};

/* Returns 0, or -1 if the predicate reads more of a pointer, such as its distance from another buffer. */
int cs_host_alike_reads(const struct cs_host_form *form, struct cs_host_alike_reads *reads);

void cs_host_alike_key(const struct cs_host_form *form, const struct cs_host_alike_reads *reads,
                       const struct cs_host_launch_values *launch, struct cs_host_alike_key *key);

int cs_host_alike_equal(const struct cs_host_alike_key *a, const struct cs_host_alike_key *b);

/* The further parameters of an earlier launch (bounds), for a launch alike. */
void cs_host_alike_bounds(const struct cs_host_form *form, const struct cs_host_alike_reads *reads,
                          const struct cs_host_alike_key *key, cs_u64 *bounds);

#endif
