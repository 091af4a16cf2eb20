/* span.h: the memory that a call of the program touches, on the host: a copy, a fill, or an operand of a library's
 * call. Any thread. */
#ifndef CUSAFE_HOST_FINDINGS_SPAN_H
#define CUSAFE_HOST_FINDINGS_SPAN_H

#include "cusafe/abi.h"
#include "host/base/driver.h"

/* depth slices of height rows of width bytes, from base + offset on; empty when one of these is 0. Values that overflow
 * are ~0. */
struct cs_host_span {
  cs_u64 base; /* the pointer that the program passed: its buffer is the one that the call may touch */
  cs_u64 offset;
  cs_u64 width, pitch, height, slice, depth;
  enum cs_access access;
};

/* The bytes of count items, and a sum of bytes; ~0 on overflow: no buffer is that large. */
cs_u64 cs_host_items(cs_u64 size, cs_u64 count);
cs_u64 cs_host_sum(cs_u64 a, cs_u64 b);

#define CS_HOST_PLAIN(p) ((cs_u64)((p) = (__typeof__(p))cs_strip((cs_u64)(p))))
#define CS_HOST_READS(p, bytes) {CS_HOST_PLAIN(p), 0, (bytes), 0, 1, 0, 1, CS_ACCESS_READ}
#define CS_HOST_WRITES(p, bytes) {CS_HOST_PLAIN(p), 0, (bytes), 0, 1, 0, 1, CS_ACCESS_WRITE}
#define CS_HOST_FILLS(p, pitch, width, height) {CS_HOST_PLAIN(p), 0, (width), (pitch), (height), 0, 1, CS_ACCESS_WRITE}
#define CS_HOST_NO_SPAN {0}

/* Reports the first span that leaves its buffer. Returns 0 when the call is to be made, otherwise the error to return
 * instead. */
CUresult cs_host_span_refused(const char *call, const struct cs_host_span *spans, size_t count);
/* The same before a call that no capture records: a graph's memory must be allocated now. */
CUresult cs_host_span_refused_now(const char *call, const struct cs_host_span *spans, size_t count);
/* Whether the span touches a graph's memory that was freed, by a launch or a call; if so, sets where the memory
 * starts. */
int cs_host_span_is_of_freed_graph(const struct cs_host_span *span, cs_u64 *start);

/* Whether all that the span touches is inside the live buffer that it starts in, or memory that CuSafe does not
 * know. */
int cs_host_span_is_valid(const struct cs_host_span *span);

/* Whether the span's buffer was freed and no live buffer contains the span; reports that, and returns as above. */
int cs_host_span_is_stale(const struct cs_host_span *span);
CUresult cs_host_span_report(const char *call, const struct cs_host_span *span);

#endif
