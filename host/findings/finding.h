/* finding.h: evidence for report/, with the heap's buffers and their host stacks, printed. Callers take turns. */
#ifndef CUSAFE_HOST_FINDINGS_FINDING_H
#define CUSAFE_HOST_FINDINGS_FINDING_H

#include "host/modules/checked.h"
#include "host/modules/kernel.h"

/* A copy or fill that leaves its buffer. */
struct cs_host_api_error {
  const char *call;
  cs_u64 address, bytes;
  enum cs_access access;
  cs_u32 stack;
};

/* A suspicious argument of a launch. */
struct cs_host_argument_error {
  const char *call, *kernel; /* kernel: mangled, or NULL */
  cs_u64 pointer;
  cs_u32 index;
  int is_host; /* otherwise it points to freed memory */
  cs_u32 stack;
};

/* A driver call's word that a kernel was stopped at a bad address. */
struct cs_host_fault_error {
  const char *call;
  int is_misaligned; /* otherwise no memory is there */
  cs_u32 stack;
};

/* Buffers that were never freed, allocated in one place. */
struct cs_host_leak {
  struct cs_host_heap_buffer first;
  cs_u64 count, bytes;
};

/* Reports the record unless its site and kind were reported before. These return 1 if it was reported and counts, 0 if it is to be
 * ignored, as the options say. */
int cs_host_finding_access(const struct cs_record *record, struct cs_host_checked *checked);
int cs_host_finding_free(cs_u64 address, const char *call, cs_u32 stack);
int cs_host_finding_api(const struct cs_host_api_error *error);
int cs_host_finding_argument(const struct cs_host_argument_error *error);
int cs_host_finding_fault(const struct cs_host_fault_error *error);
int cs_host_finding_leak(const struct cs_host_leak *leak);

#endif
