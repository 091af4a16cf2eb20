/* steps.h: the steps of fast_path/, for steps.inc. Each returns 0. */
#ifndef CUSAFE_RETARGET_FAST_PATH_STEPS_H
#define CUSAFE_RETARGET_FAST_PATH_STEPS_H

#include "retarget/unit/unit.h"

/* linear.c */
int cs_rt_add_linear_versions(struct cs_rt_unit *unit);

#endif
