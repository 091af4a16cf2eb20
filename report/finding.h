/* finding.h: one finding, the only structure that renderers see, and which component fills which field.
 *
 * host/ gathers a struct cs_evidence (a device record or an invalid free, and the heap's history); cs_diagnose() is a pure
 * function from evidence to finding; the renderers (formats.h) print it and use nothing else. Strings
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
  cs_u64 offset;        /* of pc in the module, for symbolization after the run; 0: unknown */
  cs_u64 pc;            /* host frames only */
  cs_u32 line, column;  /* 0 if unknown */
  int is_toolkit; /* device frames: in a header of the toolkit, the compiler or the system, as marked by the pass */
  int is_called;  /* device frames: a function that was not inlined, and that only the next frame calls */
};

struct cs_stack {
  const struct cs_source *frames; /* innermost first */
  size_t count;
};

/* A buffer as the heap remembers it. */
struct cs_buffer {
  cs_u64 start, size; /* size 0: unknown, as after a free in a kernel */
  int freed;
  int is_poisoned;       /* a range of a buffer, poisoned by freed_by */
  int is_pool;           /* with is_poisoned: a pool, declared by freed_by; the bytes are in no sub-allocation of it */
  const char *allocator; /* the driver call, for example "cuMemAlloc_v2" */
  struct cs_stack allocated_by;  /* filled by host/ */
  struct cs_stack freed_by;      /* empty while alive */
  const struct cs_buffer *whole; /* of a sub-allocation: the buffer that it is carved from; or NULL */
  cs_u64 offset;                 /* of a sub-allocation in that */
  const char *name;              /* of a sub-allocation, or NULL */
};

/* A place where a kernel was launched, perhaps several times. */
struct cs_launch_place {
  cs_u32 grid[3], block[3]; /* all 0: unknown, or they differ */
  struct cs_stack stack;    /* empty: unknown */
  cs_u64 count;             /* launches here */
  int is_graph;             /* the launch of a graph with the kernel */
  struct cs_stack node;     /* of a graph: where the kernel's node was captured or added; empty: unknown */
};

/* The launch of a kernel, as far as known. */
struct cs_report_launch {
  cs_u32 grid[3], block[3]; /* all 0: unknown */
  struct cs_stack stack;    /* empty: unknown, or one of several */
  cs_u64 count;             /* launches since the last synchronisation, one of which it is; 0: unknown */
  int is_earlier;           /* there is none: the last ones before that */
  const struct cs_launch_place *places;
  size_t place_count; /* count may include launches at further places */
};

/* An order between streams that is missing. */
enum cs_order {
  CS_ORDER_KEPT,
  CS_ORDER_BEFORE_ALLOCATION, /* of a use after the allocation */
  CS_ORDER_AFTER_FREE,        /* a use although the free was submitted */
  CS_ORDER_FREE_BEFORE_USE    /* of a free after a use: launch is the use's */
};

enum cs_event {
  CS_EVENT_ACCESS,   /* a device record: an invalid access, index, or free in a kernel (see the site's cs_check) */
  CS_EVENT_FREE,     /* a driver call that frees */
  CS_EVENT_API,      /* a driver call that copies or fills */
  CS_EVENT_LEAK,     /* a buffer that is live at exit; own is the buffer */
  CS_EVENT_ARGUMENT, /* a launch with a suspicious argument */
  CS_EVENT_FAULT,    /* a driver call returns that a kernel faulted; the address is unknown */
  CS_EVENT_CANARY,   /* bytes next to a buffer have changed; own is the buffer */
};

struct cs_evidence {
  enum cs_event event;
  const struct cs_record *record; /* CS_EVENT_ACCESS */
  const struct cs_module *module; /* site table of the record's module, or NULL */
  size_t module_bytes;            /* bytes readable there; 0: as many as the table states */
  cs_u32 placement;               /* CS_PLACEMENT_* of this process */
  cs_u64 count;                 /* errors at this site so far, this one included; buffers leaked from this call site */
  const char *kernel;           /* mangled, when the host knows the launch; NULL: the one in the site table */
  const char *const *kernels;   /* CS_EVENT_ACCESS without kernel: mangled names of those that it may have been */
  size_t kernel_count;          /* of the names */
  cs_u64 kernels_more;          /* kernels without a name here */
  cs_u64 freed_pointer;         /* CS_EVENT_FREE: the argument */
  const char *free_call;        /* CS_EVENT_FREE: "cuMemFree_v2" */
  struct cs_stack here;         /* host events: where it was called */
  const char *api_call;         /* CS_EVENT_API: "cuMemcpyHtoD_v2"; CS_EVENT_ARGUMENT: the launch call; CS_EVENT_FAULT;
                            CS_EVENT_CANARY: the call that found it, or NULL at the end of the process */
  cs_u64 api_address, api_size; /* CS_EVENT_API: the invalid range on the device; leaks: all bytes, or 0;
                                   CS_EVENT_CANARY: from the first to the last byte that has changed */
  enum cs_access api_access;    /* CS_EVENT_API: whether the call reads or writes it */
  const char *variable;         /* CS_EVENT_API: the module variable that the call names, mangled; or NULL */
  cs_u64 variable_start, variable_bytes;
  enum cs_memory variable_memory;
  cs_u32 argument; /* CS_EVENT_ARGUMENT: its index from 0; the pointer is api_address, kernel is given */
  cs_u64 launches; /* CS_EVENT_CANARY: of kernels without checks that had the buffer as an argument since the bytes were
                      last intact; kernel and launch are the last one */
  enum cs_order order;             /* CS_EVENT_FREE, CS_EVENT_API, CS_EVENT_ARGUMENT */
  int is_misaligned;               /* CS_EVENT_FAULT: 1 misaligned address, 0 unmapped address */
  int argument_is_host;            /* CS_EVENT_ARGUMENT: 1 host memory, 0 freed memory (own) */
  const struct cs_buffer *own;     /* the buffer in the root's window (freed ones included), or NULL */
  const struct cs_buffer *touched; /* the live buffer that contains the address, if it is another one; or NULL */
  const struct cs_buffer
      *near_root; /* the live buffer nearest to a root that is in no buffer, or NULL; stacks filled */
  const struct cs_buffer *near_address; /* the live buffer nearest to the access, likewise */
  const struct cs_buffer
      *freed_there; /* the freed buffer in the window of the access, if that root is in no buffer; or NULL */
  const struct cs_buffer
      *around; /* buffers near the address, by address, without own and touched; their stacks are empty */
  size_t around_count;
  const struct cs_report_launch *launch; /* CS_EVENT_ACCESS, CS_EVENT_FAULT, CS_EVENT_CANARY: the kernel's, or NULL */
  const struct cs_heat *heat;            /* CS_EVENT_ACCESS: the offending threads at this site, or NULL */
};

#define CS_FINGERPRINT_MAX 32

struct cs_finding {
  enum cs_kind kind;
  enum cs_event event;
  enum cs_access access; /* CS_ACCESS_COUNT: unknown */
  cs_u64 address,
      size;    /* a free, a launch argument: the pointer, and 0; a leak: own, and all bytes; a field, a fault: 0 */
  cs_u64 root; /* the pointer the access was derived from, mark included */
  cs_u64 count;
  const char *directory;             /* where the compiler ran: the base of relative files of device frames; or NULL */
  const char *call;                  /* as the program names free_call or api_call: see call.h; or NULL */
  const char *free_call;             /* CS_EVENT_FREE, and frees in kernels */
  enum cs_memory memory_kind;        /* of the variable accessed; CS_MEMORY_UNKNOWN: not a variable */
  const char *object;                /* the variable's name, demangled; NULL if unknown */
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
  const struct cs_buffer *own, *touched; /* NULL when the access was to a variable */
  cs_u64 distance; /* how far the first byte outside is before own's or the variable's start or past its end; or 0 */
  int stray;       /* 1: root itself is outside every buffer; own is the nearest */
  int before;      /* 1: before the start; 0: past the end */
  int outside;     /* 1: at least one byte is outside; 0: all inside, or no bounds */
  const struct cs_buffer *around; /* see cs_evidence */
  size_t around_count;
  const struct cs_report_launch *launch; /* or NULL */
  const struct cs_heat *heat;            /* or NULL; checked by cs_report_heatmap_is_sound */
  cs_u32
      ordinal; /* of its site among those with the same fingerprint, by their order in the site table, from 1; 0: unknown */
  char fingerprint[CS_FINGERPRINT_MAX]; /* the same for the same bug in every run: see fingerprint.h */
  void *memory;                         /* private to cs_diagnose and cs_finding_release */
};

/* Fills finding from evidence. cs_finding_release() frees what it allocates (frames, demangled names), even after a failure.
 * Returns 0, or -1 when out of memory. No I/O, no globals. With a corrupt site table the finding only lacks its source lines. */
int cs_diagnose(const struct cs_evidence *evidence, struct cs_finding *finding);
void cs_finding_release(struct cs_finding *finding);

struct cs_text_options {
  int color;
  const char *strip_path_prefix; /* or NULL */
  int pid;                       /* 0: this process */
  int all_frames;                /* text: also frames in headers of the toolkit, the compiler and the system */
  const char *same_as;           /* text: the location of an earlier report that the finding belongs to; NULL: none */
  const char
      *zero_from; /* text: the location of an invalid read that returned 0, which may be this null pointer; or NULL */
};
/* The report for people: in full, or in short if the finding belongs to an earlier report. */
void cs_render_text(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out);

#endif
