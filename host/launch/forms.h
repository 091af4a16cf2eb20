/* forms.h: chooses the form of a kernel that a launch runs (cusafe/predicate.h). Any thread. */
#ifndef CUSAFE_HOST_LAUNCH_FORMS_H
#define CUSAFE_HOST_LAUNCH_FORMS_H

#include "cusafe/predicate.h"
#include "host/base/driver.h"
#include "host/launch/launch.h"

#define CS_HOST_FORM_PARAMETERS 192
#define CS_HOST_FORM_BYTES 4608

/* What to launch instead, and room for its arguments. */
struct cs_host_choice {
  CUfunction function;
  int is_node; /* of a graph, which remembers the decision itself */
  int is_bare; /* the launch runs without checks because it is not sampled */
  void **parameters, **extra;
  void *list[CS_HOST_FORM_PARAMETERS];
  void *extras[5];
  size_t extra_bytes;
  cs_u64 bounds[CS_FORM_BOUNDS];
  cs_u32 bound_count; /* of the chosen form */
  char buffer[CS_HOST_FORM_BYTES];
};

/* The launch's own kernel, or another form of it, with its arguments. */
void cs_host_form_choose(const struct cs_host_launch *launch, int is_captured, struct cs_host_choice *choice);

/* The same for a kernel of a graph that is about to be launched, or launched without checks (is_bare). Returns an enum
 * cs_form_used (report/format.h), which the caller counts at each launch of the graph. */
int cs_host_form_of_node(const struct cs_host_launch *node, int is_bare, struct cs_host_choice *choice);
void cs_host_form_count(const cs_u64 *counts);

/* The other forms of a kernel handle, for calls that set something of a kernel. Returns how many there are. */
size_t cs_host_form_others(CUfunction function, CUfunction others[2]);

/* The module or library of this number is gone, or the context, and their handles with them. */
void cs_host_forms_forget(cs_u64 owner);
struct cs_host_context;
void cs_host_forms_forget_context(const struct cs_host_context *context);

/* How often a predicate was evaluated: launches that were decided before cost none. */
cs_u64 cs_host_form_evaluations(void);

/* How many launches ran in each form, and why (report/forms.inc). */
void cs_host_form_counts(cs_u64 *counts);

#endif
