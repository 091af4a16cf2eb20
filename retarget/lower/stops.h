/* stops.h: breakpoints in code for a debugger. */
#ifndef CUSAFE_RETARGET_LOWER_STOPS_H
#define CUSAFE_RETARGET_LOWER_STOPS_H

#include "retarget/unit/unit.h"

/* Replaces each call of __cr_breakpoint by the host's breakpoint instruction. */
void cs_rt_place_breakpoints(struct cs_rt_unit *unit);

#endif
