/* race.h: what the race detector remembers of accesses to shared and global memory, and of the threads of a block.
 *
 * A cell describes one word (4 bytes) of memory: the last write, one before it if that is atomic, and up to two reads.
 * Two reads are enough: they are of different threads, of different warps if any two are, and of different
 * blocks if any two are, so that whichever thread writes next, one of them is another's. */
#ifndef CUSAFE_RACE_H
#define CUSAFE_RACE_H

#include "cusafe/layout.h"

/* A clock has 32 bits: a time of the block, and how many barriers of its warp a thread has passed since its last one of
 * the block. The time counts the barriers and the releases of the block: a block runs on one core, so that an access
 * with an earlier time than a release was made before it. What does not fit stays at its maximum, which orders
 * everything. */
#define CS_CLOCK_WARP_SHIFT 1
#define CS_CLOCK_WARP_MAX 0x7ffu
#define CS_CLOCK_TIME_SHIFT 12
#define CS_CLOCK_TIME_MAX 0xfffffu
#define CS_CLOCK_THREADS 1024u
#define CS_CLOCK_WARPS (CS_CLOCK_THREADS / 32)

/* A thread's barriers have had several masks. */
#define CS_CLOCK_MASKS_DIFFER (~0u)

/* Memory through which threads synchronise is known by a hash of its address, in units of 16 bytes. Two flags with one
 * hash are one flag: a miss, and no alarm. */
#define CS_FLAG_SHIFT 4
#define CS_BLOCK_FLAGS_LOG2 6
#define CS_FLAGS_LOG2 14
#define CS_LOCKS_LOG2 10

/* What a lane of a warp has taken by a compare-and-swap, and not given back since. */
enum cs_lock_state {
  CS_LOCK_NONE,
  CS_LOCK_FENCED,   /* and a fence for all blocks since */
  CS_LOCK_IN_BLOCK, /* and a fence for the block */
  CS_LOCK_UNFENCED
};
struct cs_lock {
  cs_u64 name; /* of the address, and of the values that were compared and stored; 0: none */
  const void *flag;
  cs_u32 thread, state;
};

/* The asynchronous copies of a thread (cp.async). They are performed at once, but nobody may rely on that before the
 * thread has waited for their group. */
struct cs_copies {
  cs_u32 committed; /* groups so far: the number of the group that a copy joins */
  cs_u32 done;      /* groups below this number have completed, */
  cs_u32 earlier;   /* and those below this one before the thread's last wait, */
  cs_u32 clock;     /* which was at this time */
};
enum cs_copy_event {
  CS_COPY_COMMIT,
  CS_COPY_WAIT,     /* until no more than `count` groups are under way */
  CS_COPY_WAIT_ALL, /* also for copies that are in no group */
  CS_COPY_ARRIVE    /* an mbarrier tells others when they are done */
};

/* Of a block, in its shared memory. Times of the block: what was released up to then may have been seen. */
struct cs_clocks {
  cs_u32 of_thread[CS_CLOCK_THREADS]; /* the time of the last barrier of the block, and the warp's */
  cs_u32 masks[CS_CLOCK_THREADS];     /* of a thread's warp barriers since then, if not full; 0: of none so far */
  cs_u32 time, barrier;               /* now, and the last barrier of the block */
  cs_u32 released[CS_CLOCK_WARPS];    /* by a lane of the warp */
  cs_u32 known[CS_CLOCK_WARPS];       /* to the warp, from other warps */
  cs_u32 flags[1u << CS_BLOCK_FLAGS_LOG2];
  cs_u32 any_flag; /* through an address that is not known */
  struct cs_lock locks[CS_CLOCK_WARPS];
  struct cs_copies copies[CS_CLOCK_THREADS];
  cs_u64 copies_block;  /* that `copies` are of: only kernels with such copies set them */
  cs_u64 block;         /* that all else is of: shared memory is not cleared between blocks */
  cs_u64 acquired;      /* the releases of other blocks up to this time of the process may have been seen */
  cs_u64 last_release;  /* of the block for others, in the time of the process */
  cs_u32 last_released; /* the same in the block's time */
};

/* How an access takes part in synchronisation. */
enum cs_strength { CS_STRENGTH_COPY, CS_STRENGTH_PLAIN, CS_STRENGTH_VOLATILE, CS_STRENGTH_ATOMIC };

/* What an access does, in one 32-bit word: bytes, enum cs_access, enum cs_strength, and flags. */
#define CS_RACE_WHAT(bytes, access, strength) ((bytes) | (cs_u32)(access) << 20 | (cs_u32)(strength) << 22)
#define CS_RACE_BYTES(what) ((what) & 0xfffffu)
#define CS_RACE_BYTES_MAX 0xfffffu
#define CS_RACE_ACCESS(what) ((what) >> 20 & 3)
#define CS_RACE_STRENGTH(what) ((what) >> 22 & 3)
#define CS_RACE_HAS_VALUE (1u << 24)   /* a plain write whose value is known */
#define CS_RACE_WAS_WRITTEN (1u << 25) /* memory has a value, which accesses without a check may have written */
#define CS_RACE_IN_BLOCK (1u << 26)    /* atomic for the threads of the block only */
#define CS_RACE_IS_COPY (1u << 29)     /* an asynchronous copy writes */
/* The memory, in 2 bits: enum cs_race_memory. */
#define CS_RACE_MEMORY_SHIFT 27
#define CS_RACE_MEMORY(what) ((what) >> CS_RACE_MEMORY_SHIFT & 3)
enum cs_race_memory {
  CS_RACE_SHARED,
  CS_RACE_VARIABLE, /* a __device__ variable */
  CS_RACE_BUFFER,   /* global memory, which is checked if it is a buffer of CuSafe's heap */
  CS_RACE_ANYWHERE  /* shared memory, such a buffer, or neither */
};

/* An access in 64 bits: enum cs_strength, thread, site, enum cs_lock_state, and a clock: the block's time, the thread's
 * barriers of its warp, and CS_TRACE_IN_BLOCK. 0: none. */
#define CS_TRACE_IN_BLOCK (1ull << CS_TRACE_CLOCK_SHIFT) /* CS_RACE_IN_BLOCK */
#define CS_TRACE_THREAD_SHIFT 2
#define CS_TRACE_SITE_SHIFT 12
#define CS_TRACE_SITE_MAX 0x3ffffu /* unknown: a module with more sites */
#define CS_TRACE_LOCK_SHIFT 30
#define CS_TRACE_CLOCK_SHIFT 32
static inline
    __attribute__((always_inline)) cs_u64 cs_trace(cs_u32 strength, cs_u32 thread, cs_u32 site, cs_u32 clock) {
  cs_u64 known = site < CS_TRACE_SITE_MAX ? site : CS_TRACE_SITE_MAX;
  return strength | thread << CS_TRACE_THREAD_SHIFT | known << CS_TRACE_SITE_SHIFT |
         (cs_u64)clock << CS_TRACE_CLOCK_SHIFT;
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_strength(cs_u64 trace) {
  return trace & 3;
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_thread(cs_u64 trace) {
  return trace >> CS_TRACE_THREAD_SHIFT & (CS_CLOCK_THREADS - 1);
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_site(cs_u64 trace) {
  return trace >> CS_TRACE_SITE_SHIFT & CS_TRACE_SITE_MAX;
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_lock(cs_u64 trace) {
  return trace >> CS_TRACE_LOCK_SHIFT & 3;
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_clock(cs_u64 trace) {
  return (cs_u32)(trace >> CS_TRACE_CLOCK_SHIFT);
}

/* A write by an asynchronous copy: in place of the clock, the number of its group. */
static inline __attribute__((always_inline)) cs_u64 cs_trace_of_copy(cs_u32 thread, cs_u32 site, cs_u32 group) {
  return cs_trace(CS_STRENGTH_COPY, thread, site, group << 1) | CS_TRACE_IN_BLOCK;
}
static inline __attribute__((always_inline)) int cs_is_copy(cs_u64 trace) {
  return trace && cs_trace_strength(trace) == CS_STRENGTH_COPY;
}
static inline __attribute__((always_inline)) cs_u32 cs_group_of(cs_u64 trace) {
  return cs_trace_clock(trace) >> 1;
}

/* Which races a run reports, as the option race= says: below CS_RACE_STRICT, a store of the value that memory has is
 * none. */
enum cs_race_level { CS_RACE_ERROR, CS_RACE_WARN, CS_RACE_STRICT, CS_RACE_NEVER };

/* The accesses to a word or a byte that may still race. other_write: one before `write` of a lower enum cs_strength,
 * which races with accesses with which `write` does not; or if there is none, of another thread. */
struct cs_traces {
  cs_u64 write, read, other_read, other_write;
};

struct cs_cell {
  cs_u64 block; /* the block whose accesses these are; those of an earlier one are void */
  struct cs_traces word;
  cs_u64 is_split; /* a part of the word was accessed: the traces are those of its bytes */
};

/* Cells are found by the page of an address, in a table of pages with open addressing. */
#define CS_RACE_PAGE_LOG2 12
#define CS_RACE_PAGE_CELLS (1u << (CS_RACE_PAGE_LOG2 - 2))
#define CS_RACE_PAGES_LOG2 10
struct cs_race_page {
  struct cs_cell cells[CS_RACE_PAGE_CELLS];
  struct cs_traces bytes[CS_RACE_PAGE_CELLS][4]; /* of the words that are split */
};

/* A cell of global memory, and of a byte of a split one. Threads of several blocks exchange `state` with
 * CS_GLOBAL_LOCKED while they use a cell. */
struct cs_global_cell {
  struct cs_traces traces;
  cs_u32 blocks[4]; /* of the traces: the number of the block in its grid */
  cs_u32 state;     /* the launch whose accesses these are, times 2; plus 1: split. A byte: not used */
};
#define CS_GLOBAL_LOCKED (~0u)
#define CS_GLOBAL_LAUNCHES 0x3fffffffu

#define CS_GLOBAL_PAGE_LOG2 16
#define CS_GLOBAL_PAGE_CELLS (1u << (CS_GLOBAL_PAGE_LOG2 - 2))
#define CS_GLOBAL_PAGES_LOG2 17
struct cs_global_page {
  struct cs_global_cell cells[CS_GLOBAL_PAGE_CELLS];
  struct cs_global_cell bytes[CS_GLOBAL_PAGE_CELLS][4];
};

/* The releases of a block for others: fences, and atomic operations with that order. What the block accessed before a
 * time of its own was released at a time of the process. Of many, the oldest are one, which claims that all of them
 * were at the time of the first. The entry of a block is found by a hash; two blocks may need the same one. */
#define CS_RELEASES_LOG2 14
#define CS_RELEASE_TIMES 8u
struct cs_release {
  cs_u32 lock, count;
  cs_u64 block;       /* as __cs_race_block() has it */
  cs_u64 lost_launch; /* the entry of a block of this launch was given up */
  cs_u32 before[CS_RELEASE_TIMES];
  cs_u64 times[CS_RELEASE_TIMES];
};

/* All of it, in lazily backed memory of the host: most pages are never touched. */
struct cs_races {
  cs_u64 time;                       /* the releases so far */
  cs_u64 level;                      /* enum cs_race_level */
  cs_u64 flags[1u << CS_FLAGS_LOG2]; /* by the hash of an address: what has been released through it, up to this time */
  cs_u64 any_flag;                   /* through an address that is not known */
  cs_u64 locked[1u << CS_LOCKS_LOG2]; /* by the hash of a lock: it, and the thread that last accessed memory with it */
  struct cs_release releases[1u << CS_RELEASES_LOG2];
  cs_u64 keys[1u << CS_RACE_PAGES_LOG2]; /* address >> CS_RACE_PAGE_LOG2, or 0 */
  cs_u64 global_keys[1u << CS_GLOBAL_PAGES_LOG2];
  struct cs_race_page pages[1u << CS_RACE_PAGES_LOG2];
  struct cs_global_page global_pages[1u << CS_GLOBAL_PAGES_LOG2];
};

_Static_assert(sizeof(struct cs_cell) == 48, "cs_cell");
_Static_assert(sizeof(struct cs_global_cell) == 56, "cs_global_cell");

#endif
