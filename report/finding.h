/* finding.h: one finding, the only structure that renderers see, and who fills which field.
 *
 * host/ gathers a struct cs_evidence (a device record or a bad free, plus what the heap knows); cs_diagnose() is a pure
 * function from evidence to finding; the renderers (formats.h) print it, and none knows anything that is not in it. Strings
 * are borrowed: they live as long as the evidence. */
#ifndef CUSAFE_REPORT_FINDING_H
#define CUSAFE_REPORT_FINDING_H

#include "cusafe/abi.h"
#include "cusafe/heat.h"
#include <stddef.h>
#include <stdio.h>

enum cs_kind {
#define CS_KIND(id, name, title, help) CS_KIND_##id,
#include "report/kinds.inc"
  CS_KIND_COUNT
};

/* A resolved line of source, on the host or on the device. */
struct cs_source {
  const char *function; /* demangled; NULL if unknown */
  const char *file;     /* NULL if unknown */
  const char *module;   /* host frames without a line: the ELF file */
  cs_u64 offset;        /* of pc in the module, for those who look names up later; 0: unknown */
  cs_u64 pc;            /* host frames only */
  cs_u32 line, column;  /* 0 if unknown */
  int is_toolkit;       /* device frames: in a header that the user did not write, as the pass judged */
  int is_called;        /* device frames: a function that was not inlined, and that only the next frame calls */
};

struct cs_stack {
  const struct cs_source *frames; /* innermost first */
  size_t count;
};

/* A buffer as the heap remembers it. */
struct cs_buffer {
  cs_u64 start, size; /* 0: forgotten, as of what a kernel has freed */
  int freed;
  const char *allocator;        /* the driver call, for example "cuMemAlloc_v2" */
  struct cs_stack allocated_by; /* filled by host/ */
  struct cs_stack freed_by;     /* empty while alive */
};

/* A launch on the host, as far as it is known which one it was. */
struct cs_report_launch {
  cs_u32 grid[3], block[3]; /* all 0: not known */
  struct cs_stack stack;    /* empty: not known */
};

enum cs_event {
  CS_EVENT_ACCESS, /* a device record: a bad access, a bad index, or a bad free in a kernel (see the site's cs_check) */
  CS_EVENT_FREE,   /* a driver call that frees */
  CS_EVENT_API,    /* a driver call that copies or fills */
  CS_EVENT_LEAK,   /* a buffer that is alive at exit; own is the buffer */
  CS_EVENT_ARGUMENT, /* a launch with a suspicious argument */
  CS_EVENT_FAULT,    /* a driver call says that a kernel was stopped at a bad address; which one is not known */
};

struct cs_evidence {
  enum cs_event event;
  const struct cs_record *record; /* CS_EVENT_ACCESS */
  const struct cs_module *module; /* site table of the record's module, or NULL */
  size_t module_bytes;            /* bytes that are readable there; 0: as many as the table itself says */
  cs_u32 placement;               /* CS_PLACEMENT_* of this process */
  cs_u64 count;                   /* errors at this site so far, this one included; leaks of this place */
  const char *kernel;             /* mangled, when the host knows better than the site table; or NULL */
  cs_u64 freed_pointer;           /* CS_EVENT_FREE: the argument */
  const char *free_call;          /* CS_EVENT_FREE: "cuMemFree_v2" */
  struct cs_stack here;           /* host events: where it was called */
  const char *api_call; /* CS_EVENT_API: "cuMemcpyHtoD_v2"; CS_EVENT_ARGUMENT: the launch call; CS_EVENT_FAULT */
  cs_u64 api_address, api_size; /* CS_EVENT_API: the range on the device side that is wrong; leaks: all bytes, or 0 */
  enum cs_access api_access;    /* CS_EVENT_API: whether the call reads or writes it */
  cs_u32 argument;              /* CS_EVENT_ARGUMENT: its index from 0; the pointer is api_address, kernel is given */
  int is_misaligned;            /* CS_EVENT_FAULT: what the driver says of the address; else that no memory is there */
  int argument_is_host;         /* CS_EVENT_ARGUMENT: 1 host memory, 0 freed memory (own) */
  const struct cs_buffer *own;  /* the buffer in the root's window (freed ones included), or NULL */
  const struct cs_buffer *touched; /* the live buffer that contains the address, if it is another one; or NULL */
  const struct cs_buffer
      *near_root; /* the live buffer nearest to a root that is in no buffer, or NULL; stacks filled */
  const struct cs_buffer *near_address; /* the same for the access */
  const struct cs_buffer
      *freed_there; /* the freed buffer in the window of the access, if that root is in no buffer; or NULL */
  const struct cs_buffer
      *around; /* buffers near the address, by address, without own and touched; their stacks are empty */
  size_t around_count;
  const struct cs_report_launch *launch; /* CS_EVENT_ACCESS, CS_EVENT_FAULT: the kernel's, or NULL */
  const struct cs_heat *heat;            /* CS_EVENT_ACCESS: who erred at this place, or NULL */
};

#define CS_FINGERPRINT_MAX 32

struct cs_finding {
  enum cs_kind kind;
  enum cs_event event;
  enum cs_access access; /* CS_ACCESS_COUNT when the site table does not tell */
  cs_u64 address,
      size;    /* a free, a launch argument: the pointer, and 0; a leak: own, and all bytes; a field, a fault: 0 */
  cs_u64 root; /* the pointer the access was derived from, mark included */
  cs_u64 count;
  const char *directory; /* where the compiler ran: what relative files of device frames are relative to; or NULL */
  const char *free_call; /* CS_EVENT_FREE, and frees in kernels */
  enum cs_memory memory_kind;        /* what the access was to, if it was a variable; CS_MEMORY_UNKNOWN otherwise */
  const char *object;                /* the variable's name, demangled; NULL if unknown */
  cs_u64 object_start, object_bytes; /* a variable's bounds; bytes 0: not known, or its scope has ended */
  int placeless; /* the variable lies nowhere any more, or nobody knows where: no address is to be told, only differences */
  cs_u32 align; /* CS_KIND_MISALIGNED: what the access needs */
  cs_i64 index; /* CS_KIND_FIELD_OVERFLOW: the index, and the array's length */
  cs_u64 elements;
  const char *api_call;  /* CS_EVENT_API, CS_EVENT_ARGUMENT, CS_EVENT_FAULT */
  cs_u32 argument;       /* CS_EVENT_ARGUMENT */
  struct cs_stack where; /* source frames of the access, innermost first; or a host stack (a leak: its allocation) */
  const char *kernel;    /* demangled, NULL if unknown */
  cs_u32 block[3], thread[3];
  const struct cs_buffer *own, *touched; /* NULL when the access was to a variable */
  cs_u64 distance; /* how far the first byte outside is before own's or the variable's start or past its end; or 0 */
  int stray;       /* 1: root itself is outside every buffer; own is the nearest */
  int before;      /* 1: before the start; 0: past the end */
  int outside;     /* 1: at least one byte is outside; 0: all inside, or no bounds */
  const struct cs_buffer *around; /* see cs_evidence */
  size_t around_count;
  const struct cs_report_launch *launch; /* or NULL */
  const struct cs_heat *heat;            /* or NULL, and sound: see report/heat.h */
  char fingerprint[CS_FINGERPRINT_MAX];  /* the same for the same bug in every run: see fingerprint.h */
  void *memory;                          /* private to cs_diagnose and cs_finding_release */
};

/* Fills finding from evidence. What it needs (frames, demangled names) is freed by cs_finding_release(), which may be called
 * after a failure too. Returns 0, or -1 when out of memory. No I/O, no globals. A corrupt site table only costs the source
 * lines. */
int cs_diagnose(const struct cs_evidence *evidence, struct cs_finding *finding);
void cs_finding_release(struct cs_finding *finding);

struct cs_text_options {
  int color;
  const char *strip_path_prefix; /* or NULL */
  int pid;                       /* 0: this process */
};
/* The full report for people. */
void cs_render_text(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

#endif
