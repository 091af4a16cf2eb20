/* runtime.c: the fast path of the device runtime: decoding roots, comparing, marking. Compiled once for each
 * placement. */
#include "device/runtime.h"
#include "device/attributes.h"
#include "device/error.h"

#ifndef CS_PLACEMENT
#error "compile with -DCS_PLACEMENT=CS_PLACEMENT_TABLE or CS_PLACEMENT_WINDOW"
#endif

#define LIKELY(x) __builtin_expect(!!(x), 1)

/* Every checked module refers to this symbol, so that a module of another version of the pass does not link. */
__attribute__((visibility("default"))) const cs_u32 GLOBAL __cs_abi_8 = CS_ABI_VERSION;

__attribute__((visibility("default"))) struct cs_state GLOBAL __cs_state;

/* What layout.h computes for any pointer, in fewer instructions for a tagged one; of any other root the result is not
 * used. Upper halves that are the same in all tagged pointers are not compared. */
static inline __attribute__((always_inline)) cs_u32 log2_of(cs_u64 root) {
  return cs_tag_log2((cs_u32)(root >> CS_TAG_SHIFT));
}

static inline __attribute__((always_inline)) cs_u64 window_of(cs_u64 root) {
  return (root >> log2_of(root) << log2_of(root)) + cs_buffer_offset((cs_u32)(root >> CS_TAG_SHIFT), CS_PLACEMENT);
}

static inline __attribute__((always_inline)) cs_u64 meta_address(cs_u64 root) {
  cs_u64 number = root >> log2_of(root);
  if (CS_PLACEMENT == CS_PLACEMENT_WINDOW)
    return number << log2_of(root);
  cs_u32 index = (cs_u32)(root >> CS_TAG_SHIFT) << CS_TABLE_INDEX_BITS | (number & ((1u << CS_TABLE_INDEX_BITS) - 1));
  return CS_TABLE_BASE | index << 3;
}

/* An untagged root has no word: the load reads __cs_state instead, which is always mapped, and needs no branch around
 * it. */
static inline __attribute__((always_inline)) cs_u64 word_address(cs_u64 root) {
  cs_u64 address = meta_address(root);
  return cs_is_tagged(root) ? address : (cs_u64)&__cs_state;
}

/* A sub-allocation starts within its window. Its word does not change while a kernel runs; words that do, those of
 * kernels' own buffers, have an offset of 0. With the metadata in the window there are no sub-allocations, and a root
 * that is not used must not be read. */
static inline __attribute__((always_inline)) cs_u64 offset_of(cs_u64 root) {
  if (CS_PLACEMENT == CS_PLACEMENT_WINDOW)
    return 0;
  cs_u64 word = __nvvm_ldg_ull((const cs_u64 *)word_address(root));
  return word >> CS_START_SHIFT & ((1ull << log2_of(root)) - 1) & ~(CS_START_UNIT - 1);
}

INLINE cs_u64 __cs_start(cs_u64 root) {
  cs_u64 start = window_of(root) + offset_of(root);
  return cs_is_tagged(root) ? start : 0;
}

static inline __attribute__((always_inline)) cs_u64 size_by(cs_u64 root, cs_u64 word) {
  cs_u64 known = cs_meta_size_in(log2_of(root), root, word);
  cs_u64 plain = root - CS_NULL_BYTES < CS_OBJECT_BIT - CS_NULL_BYTES ? ~0ull : 0;
  return cs_is_tagged(root) ? known : plain;
}

INLINE cs_u64 __cs_size(cs_u64 root) {
  return size_by(root, __nvvm_ldg_ull((const cs_u64 *)word_address(root))); /* no word changes while a kernel runs */
}

__attribute__((noinline, visibility("default"))) struct cs_decoded __cs_bounds(cs_u64 root) {
  return (struct cs_decoded){__cs_start(root), __cs_size(root)};
}

INLINE cs_u64 __cs_size_virtual(void) {
  return CS_OBJECT_BIT - CS_NULL_BYTES;
}

INLINE cs_u64 __cs_size_now(cs_u64 root) {
  return size_by(root, *(const volatile cs_u64 GLOBAL *)word_address(root));
}

INLINE cs_u64 __cs_limit(cs_u64 size, cs_u64 bytes) {
  return cs_access_limit(size, bytes);
}

INLINE cs_u64 __cs_aligned(cs_u64 limit, cs_u64 address, cs_u64 alignment) {
  return cs_access_aligned(limit, address, alignment);
}

INLINE void *__cs_check(void *pointer, void *root, cs_u64 start, cs_u64 limit, cs_u32 what, cs_u32 site) {
  if (LIKELY((cs_u64)pointer - start < limit))
    return pointer;
  return __cs_fail(pointer, root, what, site);
}

INLINE void *__cs_check_last(void *pointer, void *root, cs_u64 start, cs_u64 size, cs_u32 what, cs_u32 site) {
  if (LIKELY((cs_u64)pointer + (CS_WHAT_BYTES(what) - 1) - start < size))
    return pointer;
  return __cs_fail(pointer, root, what, site);
}

#define INDEX_END (1ll << 31)

INLINE cs_i64 __cs_first_index(cs_u64 root, cs_u64 start, cs_u64 offset, cs_u32 shift, cs_i64 min) {
  cs_i64 first = -((cs_i64)(root - start + offset) >> shift);
  return first < min ? min : first;
}

INLINE cs_u32 __cs_index_count(cs_u64 root, cs_u64 start, cs_u64 offset, cs_u32 shift, cs_i64 min, cs_u64 limit) {
  cs_i64 distance = (cs_i64)(root - start + offset), first = -(distance >> shift);
  cs_u64 rest = (cs_u64)distance & ((1ull << shift) - 1); /* offset of the first index's element */
  cs_u64 count = limit > rest ? ((limit - rest - 1) >> shift) + 1 : 0;
  cs_i64 end = count >= 1ull << 62 ? INDEX_END : first + (cs_i64)count;
  cs_i64 from = __cs_first_index(root, start, offset, shift, min);
  cs_i64 indices = (end < INDEX_END ? end : INDEX_END) - from;
  return indices <= 0 ? 0 : indices > 0xffffffffll ? 0xffffffffu : (cs_u32)indices;
}

INLINE cs_u32 __cs_index_bound(cs_u64 root, cs_u64 start, cs_u64 offset, cs_u32 shift, cs_u64 max, cs_u64 limit) {
  cs_u64 count = cs_access_indices(root - start + offset, shift, limit);
  return (cs_u32)(count < max ? count : max);
}

INLINE void *__cs_check_index(void *pointer, void *root, cs_u32 distance, cs_u32 count, cs_u32 what, cs_u32 site) {
  if (LIKELY(distance < count))
    return pointer;
  return __cs_fail(pointer, root, what, site);
}

INLINE void *__cs_check_range(void *pointer, void *root, cs_u64 start, cs_u64 size, cs_u64 bytes, cs_u32 access,
                              cs_u32 site) {
  if (LIKELY((cs_u64)pointer - start < __cs_limit(size, bytes)) || bytes == 0)
    return pointer;
  return __cs_fail_range(pointer, root, bytes, access, site);
}

INLINE void *__cs_or_sink(void *checked, cs_u32 access) {
  return LIKELY(checked != 0) ? checked
                              : (void *)(__cs_state.sink + (access == CS_ACCESS_READ ? 0 : CS_SINK_BYTES / 2));
}

INLINE void *__cs_or_shared(void *checked, cs_u32 empty) {
  if (LIKELY(checked != 0))
    return checked;
  return empty ? __cs_fail_empty() : __cs_fail_shared(checked);
}

INLINE void *__cs_check_named(void *pointer, cs_u64 start, cs_u64 bytes, cs_u32 what, cs_u32 site) {
  cs_u64 length = CS_WHAT_BYTES(what);
  cs_u64 limit = __cs_aligned(__cs_limit(bytes, length), (cs_u64)pointer, CS_WHAT_ALIGN(what));
  if (LIKELY((cs_u64)pointer - start < limit))
    return pointer;
  return __cs_fail_named(pointer, start, bytes, length, CS_WHAT_ACCESS(what), site);
}

INLINE void *__cs_check_named_range(void *pointer, cs_u64 start, cs_u64 bytes, cs_u64 length, cs_u32 site) {
  if (LIKELY((cs_u64)pointer - start < __cs_limit(bytes, length)) || length == 0)
    return pointer;
  __cs_fail_named(pointer, start, bytes, length, 0, site);
  return (void *)0;
}

INLINE cs_u64 __cs_local_size(void *window) {
  cs_u64 word = *(volatile cs_u64 *)window;
  return word & CS_LOCAL_ALIVE ? word & ((1ull << CS_LOCAL_SIZE_BITS) - 1) : 0;
}

INLINE void *__cs_escape(void *pointer, void *root) {
  cs_u64 p = (cs_u64)pointer, r = (cs_u64)root;
  if (LIKELY((p ^ r) >> cs_tag_log2(cs_tag_of(r)) == 0) || !(cs_is_tagged(r) || r >> CS_ADDRESS_BITS))
    return pointer;
  return __cs_escape_far(pointer, root);
}

INLINE void *__cs_kept(void *pointer) {
  return cs_is_object((cs_u64)pointer) ? pointer : (void *)cs_strip((cs_u64)pointer);
}

INLINE void *__cs_plain(void *pointer) {
  return (void *)cs_strip((cs_u64)pointer);
}
