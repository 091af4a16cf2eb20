/* finding.h: gathers evidence for report/, with the heap's buffers and their host stacks, and prints the finding.
 * Callers hold the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_FINDING_H
#define CUSAFE_HOST_FINDINGS_FINDING_H

#include "host/modules/canary.h"
#include "host/modules/checked.h"
#include "host/modules/kernel.h"
#include "report/finding.h"

/* A driver call that frees what it may not, or that is not ordered after a use of the buffer. */
struct cs_host_free_error {
  const char *call;
  cs_u64 address; /* the argument */
  cs_u32 stack;
  enum cs_order order; /* the free is valid, and lacks this order */
  cs_u32 use;          /* with order: the stack of the use */
};

/* A copy or fill that leaves its buffer. */
struct cs_host_api_error {
  const char *call;
  cs_u64 base;           /* the pointer that the program passed */
  cs_u64 address, bytes; /* what the call touches */
  enum cs_access access;
  cs_u32 stack;
  const char *variable; /* the module variable at base, mangled, if the call names one; or NULL */
  cs_u64 variable_bytes;
  enum cs_memory variable_memory;
  enum cs_order order; /* the copy is in bounds, and lacks this order */
};

/* A kernel argument that points to freed memory or host memory. */
struct cs_host_argument_error {
  const char *call, *kernel; /* kernel: mangled, or NULL */
  cs_u64 pointer;
  cs_u32 index;
  int is_host; /* otherwise it points to freed memory, or lacks an order */
  enum cs_order order;
  cs_u32 stack;
};

/* A driver call returned that a kernel was stopped at an invalid address. */
struct cs_host_fault_error {
  const char *call;
  int is_misaligned; /* otherwise the address is not mapped */
  cs_u32 stack;
};

/* Buffers that were never freed, all allocated by one stack. */
struct cs_host_leak {
  struct cs_host_heap_buffer first;
  cs_u64 count, bytes;
};

/* Each returns 1 if it reported a finding that counts, 0 if the options ignore it. cs_host_finding_access() reports
 * each kind once at each site. */
int cs_host_finding_access(const struct cs_record *record, struct cs_host_checked *checked);
int cs_host_finding_free(const struct cs_host_free_error *error);
int cs_host_finding_api(const struct cs_host_api_error *error);
int cs_host_finding_argument(const struct cs_host_argument_error *error);
int cs_host_finding_fault(const struct cs_host_fault_error *error);
int cs_host_finding_canary(const struct cs_host_canary_error *error);
int cs_host_finding_leak(const struct cs_host_leak *leak);

#endif
