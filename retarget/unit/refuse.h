/* refuse.h: reports constructs that cannot be translated, as compiler errors with their source location.
 *
 * A refusal is only counted, so that one run lists all of them; the step `refuse` ends the translation. */
#ifndef CUSAFE_RETARGET_UNIT_REFUSE_H
#define CUSAFE_RETARGET_UNIT_REFUSE_H

#include "retarget/unit/unit.h"

/* Prints "cannot translate 'construct' for the CPU device", once for each source location: an instruction, a function,
 * or NULL. */
void cs_rt_refuse(struct cs_rt_unit *unit, LLVMValueRef at, const char *construct);
/* The same for a function without a definition; name as in the source. */
void cs_rt_refuse_undefined(struct cs_rt_unit *unit, LLVMValueRef call, const char *name);

#endif
