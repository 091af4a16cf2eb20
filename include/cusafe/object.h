/* object.h: how a pointer to a local, shared or module variable carries its bounds into code that does not name the
 * variable.
 *
 * In code that names the variable, its bounds are known at compile time. Only when its address escapes (is stored,
 * passed or returned) does it get bit 47 and one of these forms in the bits above:
 *
 *   local    bit 63 = 0, bits 62:59 tag 1...14, bits 58:48 identity
 *            The variable follows a prefix in a window of 2^(tag + 4) bytes, aligned to its size. The window starts
 *            with a metadata word: the size, the identity, the prefix and a hash of the window's address. The word is
 *            cleared when the variable's scope ends; a new activation at the same address takes the next identity.
 *   far      bit 63 = 0, bits 62:59 = 15, bits 58:55 tag, bits 54:48 distance: a local outside its window, which may
 *   return. variable bit 63 = 0, bits 62:59 = 0, bits 58:48 number in the module's object table shared   bit 63 = 1,
 *   bits 62:48 the variable's start, in units of 8 bytes, modulo 2^15
 *            From any address within 128 KiB the start can be computed; the metadata word is 8 bytes before it. One
 *            value represents the launch's dynamic shared memory, which has no word: the device knows its address and
 *            size. */
#ifndef CUSAFE_OBJECT_H
#define CUSAFE_OBJECT_H

#include "cusafe/layout.h"

enum cs_object_form { CS_OBJECT_LOCAL, CS_OBJECT_FAR, CS_OBJECT_VARIABLE, CS_OBJECT_SHARED, CS_OBJECT_DYNAMIC };

#define CS_OBJECT_SHIFT 48
#define CS_OBJECT_TAG_SHIFT 59
#define CS_OBJECT_TAG_MASK 15u
#define CS_OBJECT_TAG_VARIABLE 0u
#define CS_OBJECT_TAG_FAR 15u
#define CS_OBJECT_NUMBER_BITS 11
#define CS_OBJECT_NUMBER_MASK ((1u << CS_OBJECT_NUMBER_BITS) - 1)
#define CS_SHARED_FIELD_MASK 0x7fffull
#define CS_SHARED_DYNAMIC 0x7ffeull /* 0x7fff would look like -1 */

static inline enum cs_object_form cs_object_form_of(cs_u64 p) {
  if (cs_is_marked(p))
    return (p >> CS_OBJECT_SHIFT & CS_SHARED_FIELD_MASK) == CS_SHARED_DYNAMIC ? CS_OBJECT_DYNAMIC : CS_OBJECT_SHARED;
  cs_u32 tag = (cs_u32)(p >> CS_OBJECT_TAG_SHIFT) & CS_OBJECT_TAG_MASK;
  return tag == CS_OBJECT_TAG_VARIABLE ? CS_OBJECT_VARIABLE
         : tag == CS_OBJECT_TAG_FAR    ? CS_OBJECT_FAR
                                       : CS_OBJECT_LOCAL;
}

/* Local variables. */
#define CS_LOCAL_PREFIX 16u /* at least; the alignment of the variable if that is larger */
#define CS_LOCAL_TAG_MAX 14u
#define CS_LOCAL_IDENTITIES 2039u /* a prime, so that round call counts do not wrap to the same identity */
#define CS_LOCAL_SIZE_BITS 20

static inline cs_u32 cs_local_log2(cs_u32 tag) {
  return tag + 4;
}
static inline cs_u64 cs_local_bytes(cs_u32 tag) {
  return 1ull << cs_local_log2(tag);
}

/* The tag for a variable of this size, with room for its one-past-the-end pointer; 0 if it is too large to be
 * tracked. */
static inline cs_u32 cs_local_tag(cs_u64 prefix, cs_u64 size) {
  for (cs_u32 tag = 1; tag <= CS_LOCAL_TAG_MAX; tag++)
    if (prefix + size < cs_local_bytes(tag))
      return tag;
  return 0;
}

static inline cs_u32 cs_local_tag_of(cs_u64 p) {
  return (cs_u32)(p >> CS_OBJECT_TAG_SHIFT) & CS_OBJECT_TAG_MASK;
}
static inline cs_u32 cs_local_identity_of(cs_u64 p) {
  return (cs_u32)(p >> CS_OBJECT_SHIFT) & CS_OBJECT_NUMBER_MASK;
}

/* The metadata word: size in bits 19:0, identity in bits 30:20, bit 31 alive, log2 of the prefix in bits 35:32, hash of
 * the window's address in bits 63:36. */
#define CS_LOCAL_ALIVE (1ull << 31)
static inline cs_u64 cs_local_check(cs_u64 window) {
  return (window * 0x9E3779B97F4A7C15ull) >> 36 << 36;
}
static inline cs_u64 cs_local_word(cs_u64 window, cs_u64 size, cs_u32 prefix_log2, cs_u32 identity) {
  return cs_local_check(window) | (cs_u64)prefix_log2 << 32 | CS_LOCAL_ALIVE | (cs_u64)identity << CS_LOCAL_SIZE_BITS |
         size;
}
static inline cs_u64 cs_local_word_prefix(cs_u64 word) {
  return 1ull << (word >> 32 & 15);
}
static inline int cs_local_word_is_of(cs_u64 word, cs_u64 window) {
  return (word & CS_LOCAL_ALIVE) != 0 && word >> 36 << 36 == cs_local_check(window);
}
/* The word of an ended variable: it keeps the identity, for the next variable at this address. */
static inline cs_u64 cs_local_ended(cs_u64 word) {
  return word & ~CS_LOCAL_ALIVE;
}
static inline cs_u32 cs_local_word_identity(cs_u64 word) {
  return (cs_u32)(word >> CS_LOCAL_SIZE_BITS) & CS_OBJECT_NUMBER_MASK;
}
/* The identity after the one in the ended word; arbitrary if the memory held something else. */
static inline cs_u32 cs_local_next(cs_u64 word) {
  return (cs_local_word_identity(word) + 1) % CS_LOCAL_IDENTITIES;
}

static inline cs_u64 cs_local_pointer(cs_u64 address, cs_u32 tag, cs_u32 identity) {
  return address | CS_OBJECT_BIT | (cs_u64)tag << CS_OBJECT_TAG_SHIFT | (cs_u64)identity << CS_OBJECT_SHIFT;
}

/* A local that leaves its window: the distance replaces the identity. */
#define CS_FAR_MAX 63
static inline cs_u64 cs_far_pointer(cs_u64 address, cs_u64 home, cs_u32 tag) {
  cs_i64 distance = (cs_i64)(address >> cs_local_log2(tag)) - (cs_i64)(home >> cs_local_log2(tag));
  cs_u64 field = distance > CS_FAR_MAX || distance < -CS_FAR_MAX ? 64 : (cs_u64)distance & 127;
  return address | CS_OBJECT_BIT | (cs_u64)CS_OBJECT_TAG_FAR << CS_OBJECT_TAG_SHIFT | (cs_u64)tag << 55 |
         field << CS_OBJECT_SHIFT;
}
static inline cs_u32 cs_far_tag(cs_u64 p) {
  return (cs_u32)(p >> 55) & 15;
}
/* The pointer with distance 0, as if its home window were at this address. */
static inline cs_u64 cs_far_at(cs_u64 p, cs_u64 address) {
  return (p & ~CS_ADDRESS_MASK & ~(127ull << CS_OBJECT_SHIFT)) | (address & CS_ADDRESS_MASK);
}
/* An address in the home window; 0 if the distance was lost. */
static inline cs_u64 cs_far_home(cs_u64 p) {
  cs_u64 field = p >> CS_OBJECT_SHIFT & 127;
  cs_i64 distance = (cs_i64)(field << 57) >> 57;
  return field == 64 ? 0 : (p & CS_ADDRESS_MASK) - ((cs_u64)distance << cs_local_log2(cs_far_tag(p)));
}

/* Module variables. */
static inline cs_u64 cs_variable_pointer(cs_u64 address, cs_u32 number) {
  return address | CS_OBJECT_BIT | (cs_u64)number << CS_OBJECT_SHIFT;
}

/* Shared variables. */
#define CS_SHARED_PREFIX 8u
#define CS_SHARED_REACH (8ull << 15)
static inline cs_u64 cs_shared_pointer(cs_u64 address, cs_u64 start) {
  return address | CS_OBJECT_BIT | CS_MARK | (start >> 3 & CS_SHARED_FIELD_MASK) << CS_OBJECT_SHIFT;
}
static inline cs_u64 cs_shared_start(cs_u64 p) {
  cs_u64 address = p & CS_ADDRESS_MASK;
  cs_u64 start = (p >> CS_OBJECT_SHIFT & CS_SHARED_FIELD_MASK) << 3;
  cs_u64 below = (address - start) & (CS_SHARED_REACH - 1); /* from the start up to the address, modulo the reach */
  return below < CS_SHARED_REACH / 2 ? address - below : address + (CS_SHARED_REACH - below);
}
/* Whether the start can be computed from this address; a pointer further away would find another start. */
static inline int cs_shared_reaches(cs_u64 address, cs_u64 start) {
  return address - start + CS_SHARED_REACH / 2 < CS_SHARED_REACH;
}
static inline cs_u64 cs_shared_word(cs_u64 start, cs_u64 size) {
  return cs_local_check(start) | size;
}

_Static_assert(CS_LOCAL_IDENTITIES < (1u << CS_OBJECT_NUMBER_BITS), "identities fit their field");
_Static_assert((1ull << (CS_LOCAL_TAG_MAX + 4)) <= (1ull << CS_LOCAL_SIZE_BITS), "sizes fit the metadata word");

#endif
