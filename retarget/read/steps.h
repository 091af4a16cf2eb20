/* steps.h: the steps of read/, for steps.inc. Each returns 0, or -1 after a message. */
#ifndef CUSAFE_RETARGET_READ_STEPS_H
#define CUSAFE_RETARGET_READ_STEPS_H

#include "retarget/unit/unit.h"

int cs_rt_collect_kernels(struct cs_rt_unit *unit);
int cs_rt_collect_variables(struct cs_rt_unit *unit);
int cs_rt_resolve_function_pointers(struct cs_rt_unit *unit);
int cs_rt_lower_initializers(struct cs_rt_unit *unit);
int cs_rt_wrap_kernels(struct cs_rt_unit *unit);

#endif
