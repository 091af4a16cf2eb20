/* decided.h: what was decided for the last launches of one kernel, so that its launch predicate is evaluated for new
 * ones only. One thread at a time. */
#ifndef CUSAFE_HOST_LAUNCH_DECIDED_H
#define CUSAFE_HOST_LAUNCH_DECIDED_H

#include "host/launch/alike.h"

#define CS_HOST_DECIDED_ARGUMENTS 256u /* bytes */

/* A launch, as far as a predicate may depend on it. */
struct cs_host_asked {
  cs_u64 frees; /* of buffers, until then */
  cs_u32 shape[7];
  cs_u32 argument_bytes; /* 0: too many, nothing is remembered */
  char arguments[CS_HOST_DECIDED_ARGUMENTS];
};

struct cs_host_decided;

/* NULL when out of memory. */
struct cs_host_decided *cs_host_decided_make(const struct cs_host_form *form);
void cs_host_decided_delete(struct cs_host_decided *decided);

void cs_host_decided_ask(const struct cs_host_form *form, const struct cs_host_launch_values *launch, cs_u64 frees,
                         struct cs_host_asked *asked);

/* 1 if the predicate is known to hold, with the further parameters of the fast form in bounds: the launch is one of the
 * last ones, */
int cs_host_decided_same(const struct cs_host_decided *decided, const struct cs_host_form *form,
                         const struct cs_host_asked *asked, cs_u64 *bounds);
/* or alike one of them. key: what cs_host_decided_add() needs, with the buffers that the predicate must be evaluated
 * for; its count is 0 if launches of this kernel never are alike. */
int cs_host_decided_alike(struct cs_host_decided *decided, const struct cs_host_form *form,
                          const struct cs_host_launch_values *launch, const struct cs_host_asked *asked,
                          struct cs_host_alike_key *key, cs_u64 *bounds);

/* Whether to spare an evaluation: the predicate did not hold for this launch, or so often that it will not now. The
 * form with all checks, which runs then, is always right. */
int cs_host_decided_fails(struct cs_host_decided *decided, const struct cs_host_asked *asked);

/* The predicate was evaluated. */
void cs_host_decided_add(struct cs_host_decided *decided, const struct cs_host_form *form,
                         const struct cs_host_asked *asked, const struct cs_host_alike_key *key, const cs_u64 *bounds);
void cs_host_decided_add_failure(struct cs_host_decided *decided, const struct cs_host_asked *asked);

#endif
