/* check.h: constants that the pass passes to the device runtime's checks. */
#ifndef CUSAFE_CHECK_H
#define CUSAFE_CHECK_H

/* What an access does, in one 32-bit word: bytes, log2 of the alignment it requires, enum cs_access. */
#define CS_WHAT(bytes, align_log2, access) ((bytes) | (align_log2) << 24 | (cs_u32)(access) << 28)
#define CS_WHAT_BYTES(what) ((what) & 0xffffffu)
#define CS_WHAT_ALIGN(what) (1u << ((what) >> 24 & 15))
#define CS_WHAT_ACCESS(what) ((what) >> 28 & 7)
#define CS_WHAT_FORGED (1u << 31) /* the root is a converted integer: any live buffer at the address may be meant */

/* The least value of a signed index, for __cs_first_index and __cs_index_count; and how many values of an index, signed
 * or unsigned, are not negative, for __cs_index_bound. */
#define CS_INDEX_MIN (-(1ll << 31))
#define CS_INDEX_END (1ull << 31)
#define CS_INDEX_UNSIGNED_END 0xffffffffull

#endif
