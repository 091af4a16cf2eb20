/* launches.h: the launches of an error's kernel as a report shows them. Callers hold the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_LAUNCHES_H
#define CUSAFE_HOST_FINDINGS_LAUNCHES_H

#include "host/modules/checked.h"
#include "host/modules/kernel.h"
#include "host/stacks/symbolize.h"

enum { CS_HOST_SUSPECTS_MAX = 8 };

/* What the launch and the kernels of the evidence point to. Starts as zeros. */
struct cs_host_known_launch {
  struct cs_report_launch launch;
  struct cs_host_trace trace; /* of the only place */
  struct cs_launch_place places[CS_HOST_LAUNCH_PLACES];
  struct cs_host_trace stacks[CS_HOST_LAUNCH_PLACES], nodes[CS_HOST_LAUNCH_PLACES];
  const char *kernels[CS_HOST_SUSPECTS_MAX];
};

/* Each fills the launch of the evidence, with its stacks. */

/* The one that the note describes, of the kernel of the evidence. */
void cs_host_launch_from_note(struct cs_evidence *evidence, const struct cs_host_launch_note *note,
                              struct cs_host_known_launch *k);
/* The kernel of an access as well, and where it was launched since the last drain. */
void cs_host_launch_of_access(struct cs_evidence *evidence, const struct cs_host_checked *checked,
                              struct cs_host_known_launch *k);

void cs_host_launch_release(struct cs_host_known_launch *k);

#endif
