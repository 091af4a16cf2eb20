/* steps.h: the step of write/, for steps.inc. */
#ifndef CUSAFE_RETARGET_WRITE_STEPS_H
#define CUSAFE_RETARGET_WRITE_STEPS_H

#include "retarget/unit/unit.h"

/* 0, or -1 after a message. */
int cs_rt_emit(struct cs_rt_unit *unit);

#endif
