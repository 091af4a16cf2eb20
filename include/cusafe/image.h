/* image.h: the device image that retarget/ writes and the CPU driver loads in place of a cubin.
 *
 * One relocatable blob: header, tables, strings, SPIR-V. Offsets count from the header; strings are offsets into the
 * pool.
 *
 * Each large kernel has its own SPIR-V module, and small ones share modules, so that the engine compiles little more
 * than what is launched. Variables are in another module, that of the image. Its kernel CS_KERNEL_GLOBALS(global u64
 * *out) stores the address of variable i to out[i], and stores the initial values that SPIR-V cannot express; the
 * driver runs it once, before any other kernel. Kernels find variables through that table.
 *
 * Calling convention. Every kernel is
 *     spir_kernel void NAME(global void *block, local void *dynamic_shared)
 * where block points to a struct cs_launch followed, at CS_LAUNCH_PARAMS, by the kernel's parameters at their CUDA
 * offsets. The range has one dimension: its number of groups is the product of the grid, and its local size the product
 * of the block. With CS_KERNEL_SHAPED, groups have the block's three dimensions instead. */
#ifndef CUSAFE_IMAGE_H
#define CUSAFE_IMAGE_H

#include "cusafe/layout.h"

#define CS_IMAGE_MAGIC 0x4D49454641535543ull /* "CUSAFEIM" */
#define CS_IMAGE_VERSION 9u
#define CS_KERNEL_GLOBALS "__cusafe_globals"

struct cs_image {
  cs_u64 magic;
  cs_u32 version;
  cs_u32 checked; /* CS_IMAGE_CHECKED when the pass has instrumented the module, and what it looks for; else 0 */
  cs_u64 total_bytes;
  cs_u64 spirv_offset,
      spirv_bytes; /* the module of variables; 0 bytes when address_count is 0 and all kernels have modules */
  cs_u32 kernel_count, kernel_offset;
  cs_u32 param_count, param_offset;
  cs_u32 global_count, global_offset;
  cs_u32 string_bytes, string_offset;
  cs_u32 address_count; /* variables, named or not; the first global_count are those of the table */
  cs_u32 debug_offset;  /* of an image inside this one: the same program for a debugger, with source lines; 0: none */
  cs_u32 ptx_arch;      /* of the PTX that the driver has lifted, 75 for sm_75; 0: the image is no PTX's */
  cs_u32 failing_slot;  /* of CS_IMAGE_FAILING addresses in the table of variables; 0: no kernel has CS_KERNEL_FAILS */
  cs_u64 failing_offset, failing_bytes; /* the module of what failing checks call, the same in all programs: its
                                           CS_KERNEL_GLOBALS stores the addresses */
};
#define CS_IMAGE_FAILING 8u
#define CS_IMAGE_SHARED_VARIABLES 2u /* the first of a table with such addresses: __cs_state and __cs_counts */

#define CS_IMAGE_CHECKED 1u
#define CS_IMAGE_INIT 2u /* uses of uninitialised memory (init.h) */

struct cs_image_kernel {
  cs_u32 name;
  cs_u32 first_param, param_count;
  cs_u32 param_bytes;
  cs_u32 static_shared; /* bytes */
  cs_u32 local_bytes;   /* stack arrays of known size; with CS_KERNEL_PHASES the whole frame of a thread */
  cs_u32 max_threads;   /* __launch_bounds__; 0 if not given */
  cs_u32 flags;
  cs_u64 spirv_offset,
      spirv_bytes; /* may be shared by several kernels; 0 bytes: the kernel is in the module of variables */
};
#define CS_KERNEL_USES_WARP 1u /* compiled for sub-groups of 32 */
#define CS_KERNEL_PHASES 2u    /* synchronises its grid: see struct cs_grid */
#define CS_KERNEL_SHAPED 4u    /* groups have the block's shape */
#define CS_KERNEL_DEBUG 8u /* of an image for a debugger, where either all kernels of a module use warps or none does */
#define CS_KERNEL_WAITS 16u /* has a loop that ends when another thread, or the host, writes a value */
#define CS_KERNEL_FAILS 32u /* calls the functions at failing_slot */

struct cs_image_param {
  cs_u32 offset, size, align;
  cs_u32 is_pointer;
};

struct cs_image_global {
  cs_u32 name;
  cs_u32 flags;
  cs_u64 size;
};
#define CS_GLOBAL_CONSTANT 1u /* __constant__ */
#define CS_GLOBAL_EXTERNAL 2u /* of another image: its address is in the table before CS_KERNEL_GLOBALS runs */

/* What a launch passes in addition to its parameters. */
struct cs_launch {
  cs_u32 grid[3];
  cs_u32 block[3];
  cs_u32 dynamic_shared; /* bytes */
  cs_u32 number;         /* of the launch in this process: %gridid */
  cs_u64 status;         /* address of a cs_u32: a CUresult that a thread stores when it traps or asserts, or
                       CS_STATUS_NO_LOCK_STEP; 0 is success */
  cs_u64 print;          /* address of struct cs_print */
  cs_u64 heap;           /* address of struct cs_heap, for malloc and free in kernels; 0 if there is no memory for it */
  cs_u64 phases;         /* address of struct cs_grid for kernels with CS_KERNEL_PHASES, else 0 */
  cs_u64 globals;        /* address of the module's table of variables: a cs_u64 for each */
  cs_u64 zero;           /* always 0, unknown to the engine's compiler */
  cs_u64 unused[6];      /* keeps parameters aligned to 64 */
};
#define CS_LAUNCH_PARAMS 128u
#define CS_STATUS_NO_LOCK_STEP                                                                                         \
  801u /* CUDA_ERROR_NOT_SUPPORTED: the engine runs a kernel with warp operations lane by lane */

/* A kernel that synchronises its whole grid. The engine need not run all blocks at the same time, so a block must not
 * wait for another: the kernel runs in phases. A thread that waits for other blocks saves its state in its frame. When
 * all threads of a block wait, for other blocks or at the block's barrier, they return from the kernel; each that has
 * not finished adds 1 to `waiting`. When all blocks have returned and some threads are waiting, the driver runs the
 * kernel again, and each thread continues from its frame. Everything that must survive a phase or have an address,
 * stack variables and shared memory included, is therefore in the memory below and not in the engine's, which may
 * differ between phases. The driver zeroes it before phase 0 only. The lowest set bit of local_bytes and of
 * static_shared is the alignment of frames and shared memory. */
struct cs_grid {
  cs_u64 frames; /* of thread t, counted over the grid block by block: frames + t * frame_bytes */
  cs_u64 frame_bytes;
  cs_u64
      shared; /* block b: shared + b * shared_bytes; its static variables, then, at static_shared rounded up to 16, the
                  * launch's dynamic ones */
  cs_u64 shared_bytes; /* with the CS_GRID_WARP_BYTES of the next block */
  cs_u32 phase;        /* 0, 1, 2... */
  cs_u32 waiting;      /* set to 0 before each phase; added to atomically */
  cs_u32 cooperative;  /* 0: an ordinary launch, in which a grid barrier is an error (%envreg1 and 2 are 0) */
  cs_u32 reserved;
  cs_u32 workspace[4]; /* the memory that %envreg1 and 2 point to: zero at the start, then owned by the barrier */
};
#define CS_GRID_SHARED_ALIGN 16u
#define CS_GRID_WARP_BYTES (96u << 10) /* before each block's shared memory: what the lanes of its warps exchange */

/* The heap of kernels: for each size class a slab of slots of 32 << class bytes. A slot is claimed by exchanging its
 * state from 0 to 1 and freed by setting it to 0; `next` wraps around. */
#define CS_HEAP_CLASSES 20u
#define CS_HEAP_SLOT_LOG2(class_number) (5u + (class_number))
struct cs_heap {
  cs_u64 slab_bytes; /* of each class; a power of two */
  cs_u64 memory;     /* address of the slabs, which are adjacent */
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

/* Device printf and assert messages: records are appended by an atomic add to used; one that does not fit is dropped
 * and counted. A record: struct cs_print_record, then args_bytes of arguments as CUDA's vprintf passes them, padded to
 * 8. */
struct cs_print {
  cs_u64 capacity; /* bytes after this header */
  cs_u64 used;     /* bytes requested so far; may exceed capacity */
};
enum cs_print_kind { CS_PRINT_FORMAT, CS_PRINT_ASSERT };
struct cs_print_record {
  cs_u32 bytes; /* of the whole record with header and padding; stored last, so 0 marks one that was never finished */
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

/* Texture and surface objects. The 64-bit handle that a kernel is given is the device address of a struct cs_texture,
 * so device code reads it through a plain global pointer. The driver writes it before it returns the handle and never
 * changes it afterwards, except that destroying the object clears magic. If magic is not the one that the instruction
 * requires, the thread stores CUDA_ERROR_ILLEGAL_ADDRESS (700) to cs_launch.status and traps.
 *
 * The address of texel (x, y, z or layer) of a level is
 *     address + x * channels * channel_bytes + y * pitch + (z or layer) * slice.
 * The six faces of cube number i are the layers 6 i ... 6 i + 5, in CUDA's order +x -x +y -y +z -z. */
#define CS_TEXTURE_MAGIC 0x58455443u /* "CTEX" */
#define CS_SURFACE_MAGIC 0x46525343u /* "CSRF" */

/* The type of a channel in memory. */
enum cs_channel { CS_CHANNEL_UNSIGNED, CS_CHANNEL_SIGNED, CS_CHANNEL_FLOAT };
/* How many coordinates the resource has; the layer is not one of them. */
enum cs_shape {
  CS_SHAPE_LINEAR, /* one-dimensional linear memory: only tex1Dfetch is defined; out of range returns zero */
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
#define CS_TEXTURE_UNORM 2u /* integer channels are read as floats in [0,1] or [-1,1]: value / maximum, at least -1 */
#define CS_TEXTURE_SRGB 4u  /* with UNORM, 8 bits: channels x, y and z are converted to linear intensities */
#define CS_TEXTURE_LAYERED                                                                                             \
  8u /* one more coordinate, an integer, clamped to [0, layers - 1]; a surface's is not clamped */
#define CS_TEXTURE_GATHER 16u   /* the array was created for tld4 */
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
  /* The remaining fields are for textures only. */
  cs_u32 address_mode[3]; /* enum cs_address_mode; never wrap or mirror without NORMALIZED */
  cs_u32 filter;          /* enum cs_filter; linear only where reads return floats */
  cs_u32 level_filter;    /* between levels */
  float level_bias, level_min, level_max;
  float border[4]; /* returned by CS_ADDRESS_BORDER outside; an integer read returns their bits */
  cs_u32 reserved[2];
};
_Static_assert(sizeof(struct cs_texture_level) == 40, "cs_texture_level");
_Static_assert(sizeof(struct cs_texture) == 136, "cs_texture");

_Static_assert(sizeof(struct cs_launch) == CS_LAUNCH_PARAMS, "cs_launch");
_Static_assert(sizeof(struct cs_grid) == 64, "cs_grid");
_Static_assert(sizeof(struct cs_image) == 104, "cs_image");
_Static_assert(sizeof(struct cs_image_kernel) == 48, "cs_image_kernel");
_Static_assert(sizeof(struct cs_print_record) == 24, "cs_print_record");
_Static_assert(sizeof(struct cs_print_assert) == 48, "cs_print_assert");

#endif
