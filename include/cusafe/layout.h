/* layout.h: the only definition of CuSafe's pointer layout and of the address of a buffer's metadata word.
 *
 * Included by the pass, the device runtime and the host runtime; freestanding; no state.
 *
 * A global pointer:   bit 63      out-of-window mark
 *                     bits 62:48  when marked: the distance from its own window, in windows (signed)
 *                     bits 46:41  tag = log2(window size) - 3
 *                     bits 40:n   slot
 *                     bits n-1:0  offset in the window of 2^n bytes
 *
 * A buffer is always smaller than its window, so a one-past-the-end pointer is still in its own window. A pointer that
 * leaves the window carries the mark and the distance once it escapes (is stored, passed or returned), so that it can
 * return to it; within a function the root is known and no mark is needed. Addresses with tags 0 and 39...63 are
 * ordinary addresses: untagged.
 *
 * An object pointer (bit 47 set) is a local, shared or module variable's address after it has escaped; see object.h.
 *
 * Every buffer has one 8-byte metadata word: size in bits 40:0; in bits 63:41 the address of its start, without its low
 * 4 bits and without what the word's own address tells. A freed buffer's word is 0. */
#ifndef CUSAFE_LAYOUT_H
#define CUSAFE_LAYOUT_H

typedef unsigned int cs_u32;
typedef unsigned long long cs_u64;
typedef long long cs_i64;

#define CS_TAG_SHIFT 41
#define CS_TAG_COUNT 64
#define CS_TAG_MIN 1u  /* smallest tag that is a size: 16-byte windows */
#define CS_TAG_MAX 38u /* largest tag that is a size: 2^41-byte windows */
#define CS_ADDRESS_BITS 47

#define CS_MARK (1ull << 63)
#define CS_DISTANCE_SHIFT 48
#define CS_DISTANCE_BITS 15
#define CS_DISTANCE_MASK ((1ull << CS_DISTANCE_BITS) - 1)
#define CS_DISTANCE_MAX ((1ll << (CS_DISTANCE_BITS - 1)) - 1)
#define CS_DISTANCE_LOST (1ull << (CS_DISTANCE_BITS - 1)) /* too large for the field */

#define CS_SIZE_BITS 41
#define CS_SIZE_MASK ((1ull << CS_SIZE_BITS) - 1)

/* The two placements of the word. */
#define CS_PLACEMENT_TABLE 0u  /* a dense side table */
#define CS_PLACEMENT_WINDOW 1u /* the first 8 bytes of the window, as in the paper */

/* The side table: one row of 2^21 words for each tag. A slot's low 21 bits select the word, the remaining bits are the
 * key in the word. So every pointer decodes to a word inside the table, and a stale pointer fails although another slot
 * uses its word. */
#define CS_TABLE_BASE (40ull << CS_TAG_SHIFT)
#define CS_TABLE_INDEX_BITS 21
#define CS_TABLE_ROW_BYTES (8ull << CS_TABLE_INDEX_BITS)
#define CS_TABLE_BYTES (CS_TABLE_ROW_BYTES * (CS_TAG_MAX + 1))

static inline cs_u32 cs_tag_of(cs_u64 p) {
  return (cs_u32)(p >> CS_TAG_SHIFT) & (CS_TAG_COUNT - 1);
}

/* Defined for any tag, so that an ordinary address can be decoded before it is tested. */
static inline cs_u32 cs_tag_log2(cs_u32 tag) {
  return (tag + 3) & 63;
}
static inline cs_u64 cs_tag_window(cs_u32 tag) {
  return 1ull << cs_tag_log2(tag);
}

/* Unmarked, and its tag is a size. 32 bits hold all that is shifted, and are what a GPU compares in one instruction. */
static inline int cs_is_tagged(cs_u64 p) {
  return (cs_u32)(p >> CS_TAG_SHIFT) - CS_TAG_MIN <= CS_TAG_MAX - CS_TAG_MIN;
}
static inline int cs_is_marked(cs_u64 p) {
  return (p >> 63) != 0;
}

#define CS_ADDRESS_MASK ((1ull << CS_ADDRESS_BITS) - 1)
#define CS_OBJECT_BIT (1ull << CS_ADDRESS_BITS)
static inline int cs_is_object(cs_u64 p) {
  return (p & CS_OBJECT_BIT) != 0;
}

/* The first 64 KiB are never mapped: an address there is a null pointer, or a field or element of a null object. */
#define CS_NULL_BYTES 65536ull
static inline int cs_is_null(cs_u64 p) {
  return p < CS_NULL_BYTES;
}

/* Programs use -1 and similar values as special pointers, and compare with them: CuSafe never changes these. */
static inline int cs_is_foreign(cs_u64 p) {
  return p >> CS_ADDRESS_BITS == (1ull << (64 - CS_ADDRESS_BITS)) - 1;
}

/* The address in a pointer, without CuSafe's upper bits. */
static inline cs_u64 cs_strip(cs_u64 p) {
  int ours = (cs_is_marked(p) || cs_is_object(p)) && !cs_is_foreign(p);
  return ours ? p & CS_ADDRESS_MASK : p;
}

static inline cs_u64 cs_window_base(cs_u64 p) {
  return p & ~(cs_tag_window(cs_tag_of(p)) - 1);
}

/* A number for the window that is unique over all windows with the same tag. */
static inline cs_u64 cs_window_number(cs_u64 p) {
  return p >> cs_tag_log2(cs_tag_of(p));
}

/* The buffer's offset in its window. An in-window word must keep cudaMalloc's alignment: 256, and 512 for larger
 * buffers. */
static inline cs_u64 cs_buffer_offset(cs_u32 tag, cs_u32 placement) {
  return placement == CS_PLACEMENT_TABLE ? 0 : tag >= 7 ? 512 : 256;
}
static inline cs_u64 cs_buffer_start(cs_u64 p, cs_u32 placement) {
  return cs_window_base(p) + cs_buffer_offset(cs_tag_of(p), placement);
}

/* The address of a tagged pointer's metadata word. */
static inline cs_u64 cs_meta_address(cs_u64 p, cs_u32 placement) {
  if (placement == CS_PLACEMENT_WINDOW)
    return cs_window_base(p);
  return CS_TABLE_BASE + cs_tag_of(p) * CS_TABLE_ROW_BYTES +
         ((cs_window_number(p) & ((1ull << CS_TABLE_INDEX_BITS) - 1)) << 3);
}

/* In windows of 2^n bytes, bits 40:n of the start are the slot. Without its low 21 bits, which select the word, the
 * start has 26 bits: the key in bits 25:n, and the offset in the window below, in units of 16 bytes. A buffer of the
 * heap starts where its window does (or cs_buffer_offset() after that), a sub-allocation anywhere in it. */
#define CS_START_SHIFT (CS_SIZE_BITS - 4)
#define CS_START_UNIT 16ull
#define CS_START_MAX (1ull << (64 - CS_START_SHIFT)) /* offsets are smaller */

/* offset: of the buffer in the window, a multiple of CS_START_UNIT, without cs_buffer_offset(). */
static inline cs_u64 cs_meta_word_at(cs_u64 p, cs_u64 offset, cs_u64 size) {
  cs_u64 key = p >> CS_TABLE_INDEX_BITS & ~(cs_tag_window(cs_tag_of(p)) - 1);
  return size | (key | offset) << CS_START_SHIFT;
}
static inline cs_u64 cs_meta_word(cs_u64 p, cs_u64 size) {
  return cs_meta_word_at(p, 0, size);
}

/* The size that a word grants to a tagged pointer: 0 when the word belongs to another slot or the buffer is freed. The
 * window has 2^log2 bytes. */
static inline cs_u64 cs_meta_size_in(cs_u32 log2, cs_u64 p, cs_u64 word) {
  cs_u64 differs = (word >> CS_START_SHIFT ^ p >> CS_TABLE_INDEX_BITS) >> log2;
  return differs ? 0 : word & CS_SIZE_MASK;
}
static inline cs_u64 cs_meta_size(cs_u64 p, cs_u64 word) {
  return cs_meta_size_in(cs_tag_log2(cs_tag_of(p)), p, word);
}

/* Where the buffer of a tagged pointer starts, according to its word. */
static inline cs_u64 cs_meta_start(cs_u64 p, cs_u32 placement, cs_u64 word) {
  cs_u64 in_window = (cs_tag_window(cs_tag_of(p)) - 1) & ~(CS_START_UNIT - 1);
  return cs_buffer_start(p, placement) + (word >> CS_START_SHIFT & in_window);
}

/* The smallest tag whose window holds a buffer of this size with room for its one-past-the-end pointer; 0 if none. The
 * heap starts at 256-byte windows because of cudaMalloc's alignment. */
#define CS_HEAP_TAG_MIN 5u
static inline cs_u32 cs_tag_for_size(cs_u64 size, cs_u32 placement) {
  for (cs_u32 tag = CS_HEAP_TAG_MIN + (placement == CS_PLACEMENT_WINDOW); tag <= CS_TAG_MAX; tag++)
    if (size < cs_tag_window(tag) - cs_buffer_offset(tag, placement))
      return tag;
  return 0;
}

/* Addresses are handed out and mapped in units of one window or one granule, whichever is larger. */
#define CS_GRANULE_LOG2 21
static inline cs_u32 cs_unit_log2(cs_u32 tag) {
  return cs_tag_log2(tag) > CS_GRANULE_LOG2 ? cs_tag_log2(tag) : CS_GRANULE_LOG2;
}
static inline cs_u32 cs_unit_of(cs_u64 address) {
  return (cs_u32)((address & ((1ull << CS_TAG_SHIFT) - 1)) >> cs_unit_log2(cs_tag_of(address)));
}

/* A word in the window can be read only while its unit is mapped. With CS_PLACEMENT_WINDOW, a granule at the table's
 * address has one bit for each unit: 1 if it is mapped. Rows of small windows come first, all of the same length; each
 * row of larger windows has half the bits of the row before it. Bit 0 belongs to no unit: the heap serves no tag below
 * CS_HEAP_TAG_MIN. */
#define CS_UNIT_ROW_LOG2 (CS_TAG_SHIFT - CS_GRANULE_LOG2)
#define CS_UNIT_TAG (CS_GRANULE_LOG2 - 3u) /* windows of one granule */
static inline cs_u64 cs_unit_bit(cs_u64 address) {
  cs_u32 tag = cs_tag_of(address);
  if (tag < CS_HEAP_TAG_MIN || tag > CS_TAG_MAX)
    return 0;
  cs_u64 rows = (tag < CS_UNIT_TAG ? tag : CS_UNIT_TAG) - CS_HEAP_TAG_MIN + 1ull;
  cs_u64 halves =
      tag > CS_UNIT_TAG ? (2ull << CS_UNIT_ROW_LOG2) - ((2ull << CS_UNIT_ROW_LOG2) >> (tag - CS_UNIT_TAG)) : 0;
  return (rows << CS_UNIT_ROW_LOG2) + halves + cs_unit_of(address);
}
static inline cs_u64 cs_unit_word(cs_u64 bit) {
  return CS_TABLE_BASE + bit / 64 * 8;
}

/* A stray pointer (made outside its buffer by host code) is attributed to a buffer within this distance, or within the
 * buffer's size. */
#define CS_STRAY_REACH 4096ull

/* Bytes between an address and the nearer end of a buffer; 0 inside. */
static inline cs_u64 cs_distance(cs_u64 address, cs_u64 start, cs_u64 size) {
  cs_u64 offset = address - start;
  return address < start ? 0 - offset : offset < size ? 0 : offset - size;
}
static inline int cs_is_in_reach(cs_u64 stray, cs_u64 start, cs_u64 size) {
  return cs_distance(stray, start, size) <= (size > CS_STRAY_REACH ? size : CS_STRAY_REACH);
}

/* The escaping form of pointer p with the tagged root `root`: p itself inside the window, marked outside. */
static inline cs_u64 cs_mark(cs_u64 p, cs_u64 root) {
  cs_u32 n = cs_tag_log2(cs_tag_of(root));
  cs_i64 distance = (cs_i64)((p >> n) - (root >> n));
  if (distance == 0)
    return p;
  int lost = distance > CS_DISTANCE_MAX || distance < -CS_DISTANCE_MAX || cs_tag_of(p) != cs_tag_of(root) ||
             (p >> CS_ADDRESS_BITS) != 0;
  cs_u64 field = lost ? CS_DISTANCE_LOST : (cs_u64)distance & CS_DISTANCE_MASK;
  return CS_MARK | field << CS_DISTANCE_SHIFT | (p & CS_ADDRESS_MASK);
}

/* An address in the window that a marked pointer belongs to; 0 if the distance was lost. */
static inline cs_u64 cs_marked_root(cs_u64 p) {
  cs_u64 field = p >> CS_DISTANCE_SHIFT & CS_DISTANCE_MASK;
  if (field == CS_DISTANCE_LOST)
    return 0;
  cs_i64 distance = (cs_i64)(field << (64 - CS_DISTANCE_BITS)) >> (64 - CS_DISTANCE_BITS);
  cs_u64 address = cs_strip(p);
  return address - ((cs_u64)distance << cs_tag_log2(cs_tag_of(address)));
}

_Static_assert((CS_TABLE_BASE >> CS_TAG_SHIFT) > CS_TAG_MAX, "the table must not be tagged memory");
_Static_assert(CS_TABLE_BYTES < (1ull << CS_TAG_SHIFT), "the table stays in its region");
_Static_assert((CS_UNIT_TAG - CS_HEAP_TAG_MIN + 3ull) << CS_UNIT_ROW_LOG2 <= 8ull << CS_GRANULE_LOG2,
               "one granule has a bit for each unit");
_Static_assert(CS_ADDRESS_BITS - CS_TABLE_INDEX_BITS <= 64 - CS_START_SHIFT, "the start fits the word");

#endif
