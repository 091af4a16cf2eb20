/* finding.h: one finding, the only structure that renderers see.
 *
 * cs_diagnose() is a pure function from evidence (evidence.h) to finding; the renderers (formats.h) print it and use
 * nothing else. Strings are borrowed: they live as long as the evidence. */
#ifndef CUSAFE_REPORT_FINDING_H
#define CUSAFE_REPORT_FINDING_H

#include "report/evidence.h"
#include <stdio.h>

enum cs_kind {
#define CS_KIND(id, name, title, help) CS_KIND_##id,
#include "report/kinds.inc"
  CS_KIND_COUNT
};

#define CS_FINGERPRINT_MAX 40

/* The access that a race is with, the place where another thread waits, or the load of an uninitialised value. */
struct cs_other_access {
  enum cs_access access; /* CS_ACCESS_COUNT: unknown */
  cs_u64 size;           /* 0: unknown */
  struct cs_stack where; /* source frames, innermost first */
  cs_u32 block[3], thread[3];
};

struct cs_finding {
  enum cs_kind kind;
  enum cs_event event;
  enum cs_access access; /* CS_ACCESS_COUNT: unknown */
  cs_u64 address, size;  /* a free, an argument: the pointer, and 0; a leak: own, and all bytes; a field, a fault: 0 */
  cs_u64 root;           /* the pointer the access was derived from, mark included */
  cs_u64 count;
  const char *directory;      /* where the compiler ran: the base of relative files of device frames; or NULL */
  const char *call;           /* as the program names the call: see call.h; or NULL */
  const char *free_call;      /* CS_EVENT_FREE, and frees in kernels */
  enum cs_memory memory_kind; /* of the variable accessed; CS_MEMORY_UNKNOWN: not a variable */
  const char *object;         /* the variable's name, demangled; NULL if unknown */
  /* CS_KIND_UNINITIALISED_USE: what depends on the value; CS_KIND_INVALID_MASK, CS_KIND_MBARRIER_MISUSE: the
   * operation; NULL if unknown. */
  const char *use;
  cs_u64 object_start, object_bytes; /* a variable's bounds; bytes 0: unknown, or its scope has ended */
  int placeless; /* the variable has no known address: only differences of addresses are meaningful */
  cs_u32 align;  /* CS_KIND_MISALIGNED: the alignment that the access requires */
  cs_i64 index;  /* CS_KIND_FIELD_OVERFLOW: the index, and the array's length (0: unknown) */
  cs_u64 elements;
  const char *api_call;  /* CS_EVENT_API, CS_EVENT_ARGUMENT, CS_EVENT_FAULT, CS_EVENT_CANARY */
  cs_u32 argument;       /* CS_EVENT_ARGUMENT */
  enum cs_order order;   /* CS_KIND_STREAM_ORDER */
  cs_u64 launches;       /* CS_EVENT_CANARY; 1: where is the launch, otherwise the call that found it */
  struct cs_stack where; /* source frames of the access, innermost first; or a host stack (a leak: its allocation) */
  const char *kernel;    /* demangled, NULL if unknown */
  const char **kernels;  /* without kernel: demangled names of those that it may have been */
  size_t kernel_count;
  cs_u64 kernels_more; /* further ones */
  cs_u32 block[3], thread[3];
  const struct cs_other_access *other; /* CS_KIND_DATA_RACE, ..._UNINITIALISED_USE, where threads wait, or NULL */
  /* CS_KIND_DEADLOCK: the threads of the block that wait here, at the other place, and altogether. */
  cs_u64 waits_here, waits_there, waits;
  /* CS_KIND_INVALID_MASK: the mask, the lanes that have come, and the lane that it lacks or names wrongly. */
  enum cs_mask_fault mask_fault;
  cs_u32 mask, came, other_mask;
  cs_u32 lane; /* CS_NONE: unknown */
  /* CS_KIND_MBARRIER_MISUSE: the count of the operation, and the arrivals that its phase still expects. */
  enum cs_mbarrier_fault mbarrier_fault;
  cs_u32 arrivals, expected;
  int is_same_block, is_same_warp;       /* with other: the threads are of one block, of one warp */
  const struct cs_buffer *own, *touched; /* NULL when the access was to a variable */
  cs_u64 distance; /* how far the first byte outside is before own's or the variable's start or past its end; or 0 */
  int stray;       /* 1: root itself is outside every buffer; own is the nearest */
  int before;      /* 1: before the start; 0: past the end */
  int outside;     /* 1: at least one byte is outside; 0: all inside, or no bounds */
  const struct cs_buffer *around; /* see cs_evidence */
  size_t around_count;
  const struct cs_report_launch *launch; /* or NULL */
  const struct cs_heat *heat;            /* or NULL; checked by cs_report_heatmap_is_sound */
  char fingerprint[CS_FINGERPRINT_MAX];  /* the same for the same bug in every run: see fingerprint.h; without a number
                                           until cs_report_identify() adds it */
  char group[CS_FINGERPRINT_MAX];        /* the same at every optimisation level: see fingerprint.h */
  void *memory;                          /* private to cs_diagnose and cs_finding_release */
};

/* Fills finding from evidence. cs_finding_release() frees what it allocates (frames, demangled names). Returns 0, or -1
 * when out of memory, with nothing to release. No I/O, no globals. With a corrupt site table the finding only lacks its
 * source lines. */
int cs_diagnose(const struct cs_evidence *evidence, struct cs_finding *finding);
void cs_finding_release(struct cs_finding *finding);

struct cs_report_origin;

struct cs_text_options {
  int color;
  const char *strip_path_prefix;         /* or NULL */
  int pid;                               /* 0: this process */
  int all_frames;                        /* text: also frames in headers of the toolkit, the compiler and the system */
  int samples;                           /* text: some launches run without checks by choice */
  const struct cs_report_origin *origin; /* JSON; or NULL */
  size_t line_max;                       /* JSON: omit what does not fit in a line of this many bytes; 0: nothing */
  const char *same_as;   /* text: the location of an earlier report that the finding belongs to; NULL: none */
  const char *zero_from; /* text: the location of an invalid read that returned 0, perhaps this pointer; or NULL */
};

#endif
