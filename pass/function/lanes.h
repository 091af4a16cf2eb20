/* lanes.h: pointers in wide stores. LLVM stores pointers and integers that are next to each other as one vector of
 * integers. */
#ifndef CUSAFE_PASS_FUNCTION_LANES_H
#define CUSAFE_PASS_FUNCTION_LANES_H

#include "pass/module/pass.h"

/* Called before LLVM widens accesses, and after: the conversions that it has added are of pointers. */
int cs_pass_note_conversions(struct cs_pass *pass);
int cs_pass_note_lanes(struct cs_pass *pass);

/* Whether a ptrtoint converts a pointer that is stored as one. */
int cs_pass_is_lane(const struct cs_pass *pass, LLVMValueRef conversion);

#endif
