/* evidence.h: what is known of one error before its diagnosis, and which component fills which field.
 *
 * host/ gathers a struct cs_evidence, from a device record or from a driver call, and from the heap's history. Strings
 * and arrays are borrowed: the evidence must outlive the finding that is diagnosed from it. */
#ifndef CUSAFE_REPORT_EVIDENCE_H
#define CUSAFE_REPORT_EVIDENCE_H

#include "cusafe/abi.h"
#include "cusafe/heat.h"
#include <stddef.h>

/* A resolved line of source, on the host or on the device. */
struct cs_source {
  const char *function; /* demangled; NULL if unknown */
  const char *file;     /* NULL if unknown */
  const char *module;   /* host frames without a line: the ELF file */
  cs_u64 offset;        /* of pc in the module, for symbolization after the run; 0: unknown. Python frames: of the line
                           from the first line of the function */
  cs_u64 pc;            /* host frames only */
  const char *build; /* host frames: the module's build identifier; device frames: the hash of the module's site table;
                        or NULL */
  cs_u32 site;       /* device frames with build: in that table */
  cs_u32 line, column; /* 0 if unknown */
  int is_toolkit;      /* device frames: in a header of the toolkit, the compiler or the system, as marked by the pass;
                     Python frames: in a package */
  int is_called;       /* device frames: a function that was not inlined, and that only the next frame calls */
  int is_python;       /* host frames: a function in Python, without pc */
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

/* A device record, and the site table that has its source location. An event of several accesses has one of each. */
struct cs_recorded {
  const struct cs_record *record;
  const struct cs_module *module; /* of the module that was accessed from, or NULL */
  size_t module_bytes;            /* bytes readable there; 0: as many as the table states */
  const char *module_hash;        /* of the table, in hexadecimal; or NULL */
};

struct cs_access_evidence {
  struct cs_recorded at;
  cs_u32 placement;           /* CS_PLACEMENT_* of this process */
  const char *const *kernels; /* without a kernel in the head: mangled names of those that it may have been */
  size_t kernel_count;
  cs_u64 kernels_more;                  /* kernels without a name here */
  const struct cs_buffer *near_root;    /* the live buffer nearest to a root that is in no buffer, or NULL */
  const struct cs_buffer *near_address; /* the live buffer nearest to the access, likewise */
  const struct cs_buffer *freed_there;  /* the freed buffer in the window of the access, for such a root; or NULL */
  const struct cs_heat *heat;           /* the offending threads at this site, or NULL */
};

struct cs_free_evidence {
  cs_u64 pointer; /* the argument */
};

struct cs_api_evidence {
  cs_u64 address, size;  /* the invalid range on the device */
  enum cs_access access; /* whether the call reads or writes it */
  const char *variable;  /* the module variable that the call names, mangled; or NULL */
  cs_u64 variable_start, variable_bytes;
  enum cs_memory variable_memory;
};

struct cs_leak_evidence {
  cs_u64 bytes; /* of all buffers that the head counts; 0: those of own */
};

struct cs_argument_evidence {
  cs_u64 pointer;
  cs_u32 index; /* of the argument, from 0 */
  int is_host;  /* 1: it points to host memory; 0: to freed memory (own) */
};

struct cs_fault_evidence {
  int is_misaligned; /* 1: a misaligned address; 0: an unmapped one */
};

struct cs_canary_evidence {
  cs_u64 address, size; /* from the first to the last byte that has changed */
  cs_u64 launches; /* of kernels without checks that had the buffer as an argument since the bytes were last intact;
                           kernel and launch of the head are the last one */
};

/* A head that all events have, and a part for each kind of event. */
struct cs_evidence {
  /* Filled by the event's function in host/findings/finding.c. */
  enum cs_event event;
  cs_u64 count;     /* errors at this site so far, this one included; buffers leaked from this call site */
  const char *call; /* host events: the driver call, for example "cuMemFree_v2". A leak: NULL. A canary: the call that
                         found it, or NULL at the end of the process */
  enum cs_order order;                   /* CS_EVENT_FREE, CS_EVENT_API, CS_EVENT_ARGUMENT: what is missing */
  const char *kernel;                    /* mangled, when the host knows the launch; NULL: the one in the site table */
  const struct cs_buffer *own;           /* the buffer in the root's window (freed ones included), or NULL */
  const struct cs_buffer *touched;       /* the live buffer that contains the address, if it is another one; or NULL */
  const struct cs_report_launch *launch; /* the kernel's, or NULL; CS_ORDER_FREE_BEFORE_USE: the use's */
  union {
    struct cs_access_evidence access;
    struct cs_free_evidence free;
    struct cs_api_evidence api;
    struct cs_leak_evidence leak;
    struct cs_argument_evidence argument;
    struct cs_fault_evidence fault;
    struct cs_canary_evidence canary;
  };

  /* Filled for all events alike, before the diagnosis, as are the stacks of the buffers and the launch. */
  struct cs_stack here;           /* host events: where the call was made */
  const struct cs_buffer *around; /* buffers near the address, by address, without own and touched, without stacks */
  size_t around_count;
};

#endif
