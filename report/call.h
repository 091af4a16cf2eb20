/* call.h: the name of the call that the program made.
 *
 * CuSafe stands on the driver's symbols, such as cuMemAlloc_v2. The program wrote cudaMalloc, whose frame the host
 * stack starts with (host/stacks/symbolize.h), or cuMemAlloc, which cuda.h turns into the symbol. */
#ifndef CUSAFE_REPORT_CALL_H
#define CUSAFE_REPORT_CALL_H

#include "report/finding.h"

/* Of the driver's or a library's symbol `call`, made with this stack. Returns to, or call itself if it is no such
 * symbol. */
#define CS_REPORT_CALL_ROOM 128
const char *cs_report_call(const char *call, const struct cs_stack *stack, char *to, size_t room);

/* The same for a buffer's allocation. NULL if it is unknown. */
const char *cs_report_allocator(const struct cs_buffer *b, char *to, size_t room);

#endif
