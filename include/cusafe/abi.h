/* abi.h: what the pass emits, the device runtime writes and the host runtime reads. Versioned; layouts asserted.
 *
 * Every checked module defines these symbols with external visibility; the host finds them with cuModuleGetGlobal:
 *   __cs_module  struct cs_module followed by the site table and the kernels' forms (predicate.h) (constant)
 *   __cs_counts  cs_fault_counts[site_count], the errors at each site
 *   __cs_state   struct cs_state, filled by the host after the module is loaded
 *   __cs_objects struct cs_object[cs_module.object_count], the module variables whose addresses escape
 *   __cs_pointers struct cs_pointer[cs_module.pointer_count], the pointers to such variables in initialisers
 *   __cs_checks  cs_u64, the checks that were executed; only in modules that count them (cusafe cc --count) */
#ifndef CUSAFE_ABI_H
#define CUSAFE_ABI_H

#include "cusafe/object.h"

#define CS_ABI_VERSION 8
#define CS_ABI_SYMBOL "__cs_abi_8" /* defined by the device runtime, referred to by every checked module */
#define CS_ABI_MAGIC 0x31465343u   /* "CSF1" */

#define CS_SYM_MODULE "__cs_module"
#define CS_SYM_COUNTS "__cs_counts"
#define CS_SYM_STATE "__cs_state"
#define CS_SYM_OBJECTS "__cs_objects"
#define CS_SYM_POINTERS "__cs_pointers"
#define CS_SYM_CHECKS "__cs_checks"

/* The site table. All strings are offsets into the string pool; offset 0 is the empty string. */
#define CS_NONE 0xffffffffu

struct cs_module {
  cs_u32 magic;
  cs_u32 abi_version;
  cs_u32 placement;
  cs_u32 total_bytes; /* of the whole table, this header included */
  cs_u32 site_count, site_offset;
  cs_u32 frame_count, frame_offset;
  cs_u32 string_bytes, string_offset;
  cs_u32 directory; /* the compiler's working directory */
  cs_u32 object_count;
  cs_u32 flags; /* CS_MODULE_* */
  cs_u32 pointer_count;
  cs_u32 form_count, form_offset; /* predicate.h, as the next three */
  cs_u32 parameter_count, parameter_offset;
  cs_u32 operation_count, operation_offset;
  cs_u32 constant_count, constant_offset;
};

#define CS_MODULE_HEAP 1u /* kernels call malloc or free */
/* What the module was compiled to look for, one for each row of detects.inc; errors of memory always. */
#define CS_MODULE_MEMORY 0u
#define CS_MODULE_RACE 2u
#define CS_MODULE_INIT 4u
#define CS_MODULE_SYNC 8u

enum cs_access { CS_ACCESS_READ, CS_ACCESS_WRITE, CS_ACCESS_ATOMIC, CS_ACCESS_COUNT };

/* What an access is known at compile time to go to. */
enum cs_memory {
  CS_MEMORY_UNKNOWN, /* as the root's metadata specifies */
  CS_MEMORY_LOCAL,
  CS_MEMORY_SHARED,
  CS_MEMORY_DYNAMIC_SHARED,
  CS_MEMORY_VARIABLE, /* __device__ */
  CS_MEMORY_CONSTANT, /* __constant__ */
  CS_MEMORY_COUNT
};

/* What a site checks. */
enum cs_check {
  CS_CHECK_ACCESS,
  CS_CHECK_FIELD,
  CS_CHECK_FREE,
  CS_CHECK_RACE,
  CS_CHECK_BARRIER,
  CS_CHECK_INIT,
  CS_CHECK_WAIT,     /* where a thread waits for others: at a barrier, an mbarrier, or a warp operation */
  CS_CHECK_MASK,     /* the mask of a warp operation */
  CS_CHECK_MBARRIER, /* an operation on an mbarrier */
};

struct cs_site {
  cs_u32 frame;  /* innermost source frame, CS_NONE without debug information */
  cs_u32 access; /* enum cs_access */
  cs_u32 size;   /* bytes; 0 when only known at run time (memory intrinsics) */
  cs_u32 kernel; /* mangled name of the only kernel that reaches the site; 0 when there are several */
  cs_u32 memory; /* enum cs_memory */
  cs_u32 object; /* name of the variable, if known */
  cs_u32 check;  /* enum cs_check */
  cs_u32 align;  /* alignment that the access needs */
};

struct cs_frame {
  cs_u32 file, function; /* function: the linkage name if there is one */
  cs_u32 line, column;
  cs_u32 parent; /* frame this one was inlined into, or called from (CS_FRAME_CALLED); CS_NONE at the outermost */
  cs_u32 flags;  /* CS_FRAME_* */
};

#define CS_FRAME_TOOLKIT 1u /* in a header of the toolkit, the compiler or the system: not the user's code */
#define CS_FRAME_CALLED 2u  /* of a function that was not inlined; the parent is its only call */

/* The fault of an access or a free, as far as the device can distinguish. The first of each at a site is recorded, so
 * that every kind of error at a site is reported; report/ derives the kind from the record. */
enum cs_fault {
  CS_FAULT_NULL,
  CS_FAULT_WILD,       /* a pointer to no buffer or variable that CuSafe knows */
  CS_FAULT_FREED,      /* a pointer to a freed buffer; a free: a double free */
  CS_FAULT_ENDED,      /* a pointer to a variable whose scope has ended */
  CS_FAULT_OUTSIDE,    /* outside of the buffer, variable or array; a free: of a pointer that cannot be freed */
  CS_FAULT_MISALIGNED, /* in bounds, but misaligned */
  CS_FAULT_COUNT
};
typedef cs_u32 cs_fault_counts[CS_FAULT_COUNT];

/* cs_record.bytes of a pointer that is not tracked; cs_record.word of memory that a kernel has freed, which is no
 * buffer's word, as its key is missing. */
#define CS_RECORD_UNBOUNDED (~0ull)
#define CS_RECORD_FREED 1ull

/* What is wrong with the mask of a warp operation. */
enum cs_mask_fault {
  CS_MASK_LACKS_CALLER, /* the lane that executes the operation is not in it */
  CS_MASK_DIFFERS,      /* a lane in it executes the operation together with this one, with another mask */
  CS_MASK_ABSENT        /* a lane in it never comes, and has not returned */
};

/* What is wrong with an operation on an mbarrier. */
enum cs_mbarrier_fault {
  CS_MBARRIER_NONE_THERE,  /* no thread of the block has initialised it, or one has invalidated it */
  CS_MBARRIER_UNORDERED,   /* a thread of another warp has initialised it, and nothing orders the two */
  CS_MBARRIER_OVERWRITTEN, /* its memory has changed since the last operation on it */
  CS_MBARRIER_ARRIVALS,    /* more arrivals than its phase still expects */
  CS_MBARRIER_COUNT        /* is initialised with a count that it cannot have */
};
#define CS_MBARRIER_COUNT_MAX 0xfffffu

/* One error. Written once by one thread; `ready` last, with release order. */
struct cs_record {
  cs_u64 address; /* of the access, mark stripped */
  cs_u64 root;    /* the pointer that it is derived from, mark included */
  cs_u64 word;    /* the root's metadata word */
  cs_u64 size;    /* bytes accessed; a field check: the index, but 0 for a variable's array */
  cs_u64 start; /* of the buffer or variable, 0 if unknown; a field check without a variable: the number of elements */
  cs_u64 bytes; /* of the buffer or variable */
  cs_u32 site;
  cs_u32 module; /* cs_state.module */
  cs_u32 block[3];
  cs_u32 thread[3];
  cs_u32 ready;
  cs_u32 fault; /* enum cs_fault */
  /* A site with CS_CHECK_RACE or CS_CHECK_BARRIER: the other access, or the barrier where the other thread waits.
   * With CS_CHECK_WAIT: another place where threads wait; size and start are the threads that wait at the two, and
   * bytes all threads that wait.
   * With CS_CHECK_MASK: where a lane that the mask names is; bytes is enum cs_mask_fault, size the mask and, above its
   * 32 bits, that of the other lane; start the lanes that have come.
   * With CS_CHECK_MBARRIER: the initialisation, invalidation or last operation before; bytes is enum
   * cs_mbarrier_fault, size the count of the operation, and start the arrivals that its phase still expects.
   * With CS_CHECK_INIT: the site where the value was loaded; size is 1 if another thread has loaded it, and 0 if this
   * one has, and then there is no other thread. */
  cs_u32 other_site; /* CS_NONE: unknown */
  cs_u32 other_block[3];
  cs_u32 other_thread[3];
  /* With CS_CHECK_INIT: 1 plus a site that has the name of the variable at `address`; 0: it is in none. With
   * CS_CHECK_RACE: 1 if the other access is an earlier asynchronous copy. */
  cs_u32 variable_site;
};

struct cs_ring {
  cs_u32 capacity;  /* records that follow this header */
  cs_u32 head;      /* records requested so far; those past capacity are only counted */
  cs_u64 errors;    /* all errors, recorded or not */
  cs_u64 heat;      /* device address of struct cs_heat[] (heat.h); 0: no heatmap */
  cs_u32 heat_mask; /* its length, a power of two, less 1 */
  cs_u32 stop;      /* enum cs_stop */
  cs_u32 stop_from; /* records before this one are already reported */
  cs_u32 unused;
  /* Device address of a cs_u64 that all modules of the context increment after an error: the host reads rings only
   * then. */
  cs_u64 bell;
  cs_u64 indices; /* of the errors, those at indices of arrays, whose access may be counted as well */
  cs_u64 reserved;
};

/* How a thread stops at its error for a debugger, in a module compiled for that (the CPU device's,
 * retarget/lower/stops.c). A thread that has written a record while the ring is armed waits; the host reports the
 * record, and lets the thread continue or stop. */
enum cs_stop {
  CS_STOP_OFF,   /* stored by the host, and by the thread when it continues */
  CS_STOP_ARMED, /* stored by the host */
  CS_STOP_NOW, /* stored by the host: the waiting thread must stop; its error is reported, and a debugger is attached */
  CS_STOP_WAITING /* stored by the thread, plus its record's number */
};

enum cs_mode {
  CS_MODE_TRAP = 1,    /* trap after the record is written */
  CS_MODE_PERFORM = 2, /* carry out invalid accesses instead of redirecting them to the sink */
  CS_MODE_LOADS = 4,   /* report loads of uninitialised memory, not only uses of what was loaded */
};

struct cs_state {
  cs_u64 ring; /* device address of struct cs_ring; 0 until the host has filled this in */
  cs_u64 sink; /* 64 KiB to which contained accesses are redirected */
  cs_u32 mode;
  cs_u32 module;       /* the host's number for the module */
  cs_u32 first_object; /* the number of the module's first variable in objects */
  cs_u32 reserved;
  cs_u64 objects; /* struct cs_object[], one table for all modules of the device; 0 if there is none */
  cs_u64 heap;    /* struct cs_device_heap for modules with CS_MODULE_HEAP; 0 if there is none */
  cs_u64 races;   /* struct cs_races (race.h) for modules with CS_MODULE_RACE; 0 if there is none */
};

/* The heap of malloc in kernels: for each tag a slab of adjacent windows, whose memory and metadata the device can
 * write. A window whose metadata word is 0 is free; `next` wraps around, so that a freed window is reused as late as
 * possible. */
struct cs_device_slab {
  cs_u64 base;        /* the first window */
  cs_u32 count, next; /* in windows; count 0: this size is not served */
};
struct cs_device_heap {
  struct cs_device_slab slabs[CS_TAG_MAX + 1]; /* by tag */
};

/* A module variable. */
struct cs_object {
  cs_u64 start, bytes;
};

/* A pointer to a module variable in an initialiser. The host writes its escaping form, with the number that the
 * variable gets when the module is loaded. */
struct cs_pointer {
  cs_u64 target; /* the plain pointer */
  cs_u64 offset; /* of the pointer in the variable that holds it */
  cs_u32 number; /* of the variable that it points to, in __cs_objects */
  cs_u32 holder; /* name of the variable that holds it */
};

#define CS_SINK_BYTES 65536u

_Static_assert(sizeof(struct cs_module) == 88, "cs_module");
_Static_assert(sizeof(struct cs_site) == 32, "cs_site");
_Static_assert(sizeof(struct cs_frame) == 24, "cs_frame");
_Static_assert(sizeof(struct cs_record) == 120, "cs_record");
_Static_assert(sizeof(struct cs_ring) == 64, "cs_ring");
_Static_assert(sizeof(struct cs_device_slab) == 16, "cs_device_slab");
_Static_assert(sizeof(struct cs_pointer) == 24, "cs_pointer");
_Static_assert(sizeof(struct cs_state) == 56, "cs_state");

#endif
