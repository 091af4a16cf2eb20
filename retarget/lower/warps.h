/* warps.h: warp operations, before choose-warps. */
#ifndef CUSAFE_RETARGET_LOWER_WARPS_H
#define CUSAFE_RETARGET_LOWER_WARPS_H

#include "retarget/unit/unit.h"

/* Whether the function calls warp operations. In a module without marks of waits they are inlined: 0. */
int cs_rt_has_warp_operations(struct cs_rt_unit *unit, LLVMValueRef function);

#endif
