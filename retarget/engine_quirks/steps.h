/* steps.h: the steps of engine_quirks/, for steps.inc: one file each. Each returns 0. */
#ifndef CUSAFE_RETARGET_ENGINE_QUIRKS_STEPS_H
#define CUSAFE_RETARGET_ENGINE_QUIRKS_STEPS_H

#include "retarget/unit/unit.h"

int cs_rt_find_lock_step(struct cs_rt_unit *unit);
int cs_rt_expect_lock_step(struct cs_rt_unit *unit);
int cs_rt_extend_signed(struct cs_rt_unit *unit);
int cs_rt_make_reducible(struct cs_rt_unit *unit);
int cs_rt_find_spins(struct cs_rt_unit *unit);
int cs_rt_skip_cold_calls(struct cs_rt_unit *unit);
/* failing_path.c */
int cs_rt_empty_failing_path(struct cs_rt_unit *unit);
int cs_rt_share_failing_path(struct cs_rt_unit *unit); /* -1 after a message */

int cs_rt_separate_joins(struct cs_rt_unit *unit);

#endif
