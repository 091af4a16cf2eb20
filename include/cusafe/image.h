/* image.h: the device image that retarget/ writes and the CPU driver loads in place of a cubin.
 *
 * One relocatable blob: header, tables, strings, SPIR-V. Offsets count from the header; strings are offsets into the pool.
 *
 * Calling convention. Every kernel in the SPIR-V module is
 *     spir_kernel void NAME(global void *block, local void *dynamic_shared)
 * where block points to a struct cs_launch followed, at CS_LAUNCH_PARAMS, by the kernel's parameters at their CUDA offsets.
 * The range is one-dimensional: groups = product of the grid, local size = product of the block.
 * A module with variables also has the kernel CS_KERNEL_GLOBALS(global u64 *out): it stores the address of variable i to out[i]. */
#ifndef CUSAFE_IMAGE_H
#define CUSAFE_IMAGE_H

#include "cusafe/layout.h"

#define CS_IMAGE_MAGIC 0x4D49454641535543ull /* "CUSAFEIM" */
#define CS_IMAGE_VERSION 1u
#define CS_KERNEL_GLOBALS "__cusafe_globals"

struct cs_image {
  cs_u64 magic;
  cs_u32 version;
  cs_u32 checked; /* 1 when the pass has instrumented the module */
  cs_u64 total_bytes;
  cs_u64 spirv_offset, spirv_bytes;
  cs_u32 kernel_count, kernel_offset;
  cs_u32 param_count, param_offset;
  cs_u32 global_count, global_offset;
  cs_u32 string_bytes, string_offset;
};

struct cs_image_kernel {
  cs_u32 name;
  cs_u32 first_param, param_count;
  cs_u32 param_bytes;
  cs_u32 static_shared; /* bytes */
  cs_u32 local_bytes;   /* stack arrays, as far as known */
  cs_u32 max_threads;   /* __launch_bounds__; 0 if not given */
  cs_u32 flags;
};
#define CS_KERNEL_USES_WARP 1u /* compiled for sub-groups of 32 */

struct cs_image_param {
  cs_u32 offset, size, align;
  cs_u32 is_pointer;
};

struct cs_image_global {
  cs_u32 name;
  cs_u32 is_constant; /* __constant__ */
  cs_u64 size;
};

/* What a launch passes besides its parameters. */
struct cs_launch {
  cs_u32 grid[3];
  cs_u32 block[3];
  cs_u32 dynamic_shared; /* bytes */
  cs_u32 reserved;
  cs_u64 status; /* address of a cs_u32: a CUresult that a thread stores when it traps or asserts; 0 is success */
  cs_u64 print;  /* address of struct cs_print */
  cs_u64 heap;   /* address of struct cs_heap: malloc and free in kernels; 0 if there is no memory for it */
  cs_u64 reserved2;
};
#define CS_LAUNCH_PARAMS 64u

/* The heap of kernels: for each size class a slab of slots of 32 << class bytes. A slot is claimed by exchanging its state
 * from 0 to 1 and freed by setting it to 0; `next` goes round. */
#define CS_HEAP_CLASSES 20u
#define CS_HEAP_SLOT_LOG2(class_number) (5u + (class_number))
struct cs_heap {
  cs_u64 slab_bytes; /* of each class; a power of two */
  cs_u64 memory;     /* address of the slabs, side by side */
  cs_u64 states;     /* address of a cs_u32 for each slot, class by class */
  cs_u32 next[CS_HEAP_CLASSES];
};
static inline cs_u64 cs_heap_slots(const struct cs_heap *heap, cs_u32 class_number) {
  return heap->slab_bytes >> CS_HEAP_SLOT_LOG2(class_number);
}
/* The number of slots in all classes before this one. */
static inline cs_u64 cs_heap_first_slot(const struct cs_heap *heap, cs_u32 class_number) {
  cs_u64 slots = 0;
  for (cs_u32 c = 0; c < class_number; c++)
    slots += cs_heap_slots(heap, c);
  return slots;
}

/* Device printf and assert messages: records are appended by an atomic add to used; one that does not fit is dropped and
 * counted. A record: struct cs_print_record, then args_bytes of arguments as CUDA's vprintf passes them, padded to 8. */
struct cs_print {
  cs_u64 capacity; /* bytes after this header */
  cs_u64 used;     /* bytes asked for so far; may pass capacity */
};
enum cs_print_kind { CS_PRINT_FORMAT, CS_PRINT_ASSERT };
struct cs_print_record {
  cs_u32
      bytes; /* whole record, this header and padding included; stored last, so 0 marks a record that was never finished */
  cs_u32 kind;
  cs_u64 format; /* address of the format string; for an assert, of the message */
  cs_u64 args_bytes;
};
/* The arguments of an assert record: addresses of file and function, then line, block and thread. */
struct cs_print_assert {
  cs_u64 file, function;
  cs_u32 line;
  cs_u32 block[3];
  cs_u32 thread[3];
  cs_u32 reserved;
};

_Static_assert(sizeof(struct cs_launch) == CS_LAUNCH_PARAMS, "cs_launch");
_Static_assert(sizeof(struct cs_image) == 72, "cs_image");
_Static_assert(sizeof(struct cs_image_kernel) == 32, "cs_image_kernel");
_Static_assert(sizeof(struct cs_print_record) == 24, "cs_print_record");
_Static_assert(sizeof(struct cs_print_assert) == 48, "cs_print_assert");

#endif
