/* image.h: the device image that retarget/ writes and the CPU driver loads in place of a cubin.
 *
 * One relocatable blob: header, tables, strings, SPIR-V. Offsets count from the header; strings are offsets into the pool.
 *
 * Large kernels have SPIR-V modules of their own, and small ones share some, so that not much more than what is launched need be
 * compiled. Variables live in another one, that of the image: its kernel CS_KERNEL_GLOBALS(global u64 *out) stores the address of variable i to out[i], and whatever
 * initialisers SPIR-V cannot express; the driver runs it once before any other. Kernels find variables through that table.
 *
 * Calling convention. Every kernel is
 *     spir_kernel void NAME(global void *block, local void *dynamic_shared)
 * where block points to a struct cs_launch followed, at CS_LAUNCH_PARAMS, by the kernel's parameters at their CUDA offsets.
 * The groups are numbered in one dimension, the first: their number is the product of the grid. So is a group's local size, the
 * product of the block, except where CS_KERNEL_SHAPED says that it has the block's three dimensions. */
#ifndef CUSAFE_IMAGE_H
#define CUSAFE_IMAGE_H

#include "cusafe/layout.h"

#define CS_IMAGE_MAGIC 0x4D49454641535543ull /* "CUSAFEIM" */
#define CS_IMAGE_VERSION 3u
#define CS_KERNEL_GLOBALS "__cusafe_globals"

struct cs_image {
  cs_u64 magic;
  cs_u32 version;
  cs_u32 checked; /* 1 when the pass has instrumented the module */
  cs_u64 total_bytes;
  cs_u64 spirv_offset,
      spirv_bytes; /* the module of variables; none when address_count is 0 and kernels have their own */
  cs_u32 kernel_count, kernel_offset;
  cs_u32 param_count, param_offset;
  cs_u32 global_count, global_offset;
  cs_u32 string_bytes, string_offset;
  cs_u32 address_count; /* of variables, with a name or without: the first global_count are those of the table */
  cs_u32 debug_offset;  /* of another image in this one: the same program for a debugger, with lines; 0: none */
};

struct cs_image_kernel {
  cs_u32 name;
  cs_u32 first_param, param_count;
  cs_u32 param_bytes;
  cs_u32 static_shared; /* bytes */
  cs_u32 local_bytes;   /* stack arrays, as far as known; with CS_KERNEL_PHASES all of a thread's frame */
  cs_u32 max_threads;   /* __launch_bounds__; 0 if not given */
  cs_u32 flags;
  cs_u64 spirv_offset, spirv_bytes; /* of several kernels, perhaps; 0 bytes: it is in the module of variables */
  cs_u64 good_offset, good_bytes;   /* 0 bytes: it has no such versions; see CS_KERNEL_GOOD_SUFFIX */
};
#define CS_KERNEL_USES_WARP 1u /* compiled for sub-groups of 32 */
#define CS_KERNEL_PHASES 2u    /* synchronises its grid: see struct cs_grid */
#define CS_KERNEL_SHAPED 4u    /* groups are of the block's shape */
#define CS_KERNEL_DEBUG 8u     /* of an image for a debugger; the kernels of one module all use warps, or none does */

/* A kernel that tests at its entry which checks its block can do without may have two others, in a module of their own, so that
 * the kernel itself need not be compiled before a test fails. Their names are the kernel's with these suffixes. The first has a
 * thread for each block and leaves the block's answer in `tests`. The second is the kernel for a grid of which all blocks have
 * passed. */
#define CS_KERNEL_TEST_SUFFIX "__cusafe_test"
#define CS_KERNEL_GOOD_SUFFIX "__cusafe_good"

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
  cs_u64 status;    /* address of a cs_u32: a CUresult that a thread stores when it traps or asserts; 0 is success */
  cs_u64 print;     /* address of struct cs_print */
  cs_u64 heap;      /* address of struct cs_heap: malloc and free in kernels; 0 if there is no memory for it */
  cs_u64 phases;    /* address of struct cs_grid for kernels with CS_KERNEL_PHASES, else 0 */
  cs_u64 globals;   /* address of the module's table of variables: a cs_u64 for each */
  cs_u64 tests;     /* address of a byte for each block, its kernel's test; 0: it tests by itself */
  cs_u64 zero;      /* 0, which the engine's compiler does not know */
  cs_u64 unused[5]; /* parameters may ask for an alignment of 64 */
};
#define CS_LAUNCH_PARAMS 128u

/* A kernel that synchronises its whole grid. The engine need not run all blocks at the same time, so a block may not wait for
 * another: the kernel runs in phases. A thread that waits for other blocks leaves all its state in its frame, and when all threads of
 * its block wait, for others or at the block's barrier, they return from the kernel, each that has not ended adding 1 to
 * `waiting`; when all blocks have returned, and some threads are waiting, the driver runs the kernel again, and each thread goes on
 * where its frame says. So whatever must live on or be pointed to meanwhile, stack variables and shared memory included, lies in the
 * memory below and not in the engine's, which may differ from phase to phase. The driver zeroes it before phase 0 only. Frames and
 * shared memory are aligned as the lowest bit of local_bytes and static_shared says. */
struct cs_grid {
  cs_u64 frames; /* thread t, counted over the whole grid block by block: frames + t * frame_bytes */
  cs_u64 frame_bytes;
  cs_u64
      shared; /* block b: shared + b * shared_bytes; its static variables, then, at static_shared rounded up to 16, the
                  * launch's dynamic ones */
  cs_u64 shared_bytes;
  cs_u32 phase;       /* 0, 1, 2... */
  cs_u32 waiting;     /* set to 0 before each phase; added to atomically */
  cs_u32 cooperative; /* 0: an ordinary launch, in which the grid's barrier is an error (%envreg1 and 2 are 0) */
  cs_u32 reserved;
  cs_u32 workspace[4]; /* what %envreg1 and 2 point to: zero at first, and then the barrier's own */
};
#define CS_GRID_SHARED_ALIGN 16u

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

/* Texture and surface objects. The 64-bit handle that a kernel is given is the device address of a struct cs_texture, so
 * device code reads it through a plain global pointer. The driver writes it before the handle is handed out and never
 * changes it afterwards, except that destroying the object clears magic. An object with another magic than the one that the
 * instruction needs must not be read: the thread stores CUDA_ERROR_ILLEGAL_ADDRESS (700) to cs_launch.status and traps.
 *
 * A texel (x, y, z or layer) of a level lies at
 *     address + x * channels * channel_bytes + y * pitch + (z or layer) * slice.
 * The six faces of cube number i are the layers 6 i ... 6 i + 5, in CUDA's order +x -x +y -y +z -z. */
#define CS_TEXTURE_MAGIC 0x58455443u /* "CTEX" */
#define CS_SURFACE_MAGIC 0x46525343u /* "CSRF" */

/* What a channel is in memory. */
enum cs_channel { CS_CHANNEL_UNSIGNED, CS_CHANNEL_SIGNED, CS_CHANNEL_FLOAT };
/* How many coordinates the resource has; the layer is not one of them. */
enum cs_shape {
  CS_SHAPE_LINEAR, /* one-dimensional linear memory: only tex1Dfetch is defined; out of range gives zero */
  CS_SHAPE_1D,
  CS_SHAPE_2D, /* an array, or pitched linear memory */
  CS_SHAPE_3D,
  CS_SHAPE_CUBE
};
enum cs_address_mode {
  CS_ADDRESS_WRAP,
  CS_ADDRESS_CLAMP,
  CS_ADDRESS_MIRROR,
  CS_ADDRESS_BORDER
}; /* as CUDA numbers them */
enum cs_filter { CS_FILTER_POINT, CS_FILTER_LINEAR };

#define CS_TEXTURE_NORMALIZED 1u /* coordinates run from 0 to 1 */
#define CS_TEXTURE_UNORM 2u /* integer channels are read as floats in [0,1] or [-1,1]: value / largest, at least -1 */
#define CS_TEXTURE_SRGB 4u  /* with UNORM, 8 bits: channels x, y and z are turned into linear intensities */
#define CS_TEXTURE_LAYERED                                                                                             \
  8u /* one more coordinate, an integer, clamped to [0, layers - 1]; a surface's is not clamped */
#define CS_TEXTURE_GATHER 16u   /* the array was made for tld4 */
#define CS_TEXTURE_SEAMLESS 32u /* cubes: filtering crosses faces */

struct cs_texture_level {
  cs_u64 address;      /* of the first texel */
  cs_u64 pitch, slice; /* bytes from row to row and from slice or layer to the next */
  cs_u32 width;        /* in texels; at least 1 in each direction */
  cs_u32 height, depth;
  cs_u32 reserved;
};

struct cs_texture {
  cs_u32 magic;
  cs_u32 shape;                  /* enum cs_shape */
  cs_u32 channels;               /* 1, 2 or 4 */
  cs_u32 channel_bytes;          /* 1, 2 or 4; a float of 2 is a half */
  cs_u32 channel;                /* enum cs_channel */
  cs_u32 flags;                  /* CS_TEXTURE_* */
  cs_u32 layers;                 /* 1 when not layered; for cubes 6 times their number */
  cs_u32 level_count;            /* at least 1 */
  struct cs_texture_level level; /* the first one */
  cs_u64 levels;                 /* address of struct cs_texture_level[level_count], the first included */
  /* The rest is for textures only. */
  cs_u32 address_mode[3]; /* enum cs_address_mode; never wrap or mirror without NORMALIZED */
  cs_u32 filter;          /* enum cs_filter; linear only where reads give floats */
  cs_u32 level_filter;    /* between levels */
  float level_bias, level_min, level_max;
  float border[4]; /* what CS_ADDRESS_BORDER gives outside; a read that gives integers takes their bits */
  cs_u32 reserved[2];
};
_Static_assert(sizeof(struct cs_texture_level) == 40, "cs_texture_level");
_Static_assert(sizeof(struct cs_texture) == 136, "cs_texture");

_Static_assert(sizeof(struct cs_launch) == CS_LAUNCH_PARAMS, "cs_launch");
_Static_assert(sizeof(struct cs_grid) == 64, "cs_grid");
_Static_assert(sizeof(struct cs_image) == 80, "cs_image");
_Static_assert(sizeof(struct cs_image_kernel) == 64, "cs_image_kernel");
_Static_assert(sizeof(struct cs_print_record) == 24, "cs_print_record");
_Static_assert(sizeof(struct cs_print_assert) == 48, "cs_print_assert");

#endif
