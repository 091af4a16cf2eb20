/* steps.h: the steps of lower/, for steps.inc. Each returns 0, or -1 after a message. */
#ifndef CUSAFE_RETARGET_LOWER_STEPS_H
#define CUSAFE_RETARGET_LOWER_STEPS_H

#include "retarget/unit/unit.h"

/* passes.c */
int cs_rt_unmark_cold(struct cs_rt_unit *unit);
int cs_rt_keep_reachable(struct cs_rt_unit *unit);
int cs_rt_strip_attributes(struct cs_rt_unit *unit);
int cs_rt_inline(struct cs_rt_unit *unit);
int cs_rt_simplify(struct cs_rt_unit *unit);
int cs_rt_clean_up(struct cs_rt_unit *unit);
int cs_rt_split_aggregates(struct cs_rt_unit *unit);
int cs_rt_retype_variables(struct cs_rt_unit *unit);
int cs_rt_split_integers(struct cs_rt_unit *unit);
int cs_rt_legalize(struct cs_rt_unit *unit);
/* calls.c */
int cs_rt_lower_device_calls(struct cs_rt_unit *unit);
int cs_rt_lower_all_calls(struct cs_rt_unit *unit);
int cs_rt_settle_calls(struct cs_rt_unit *unit);
/* Links the functions of the support library that the module calls. */
int cs_rt_link_library(struct cs_rt_unit *unit);
/* polls.c */
int cs_rt_mark_polls(struct cs_rt_unit *unit);
int cs_rt_choose_polls(struct cs_rt_unit *unit);
/* warps.c */
int cs_rt_keep_warps(struct cs_rt_unit *unit);
int cs_rt_choose_warps(struct cs_rt_unit *unit);
/* launch.c */
int cs_rt_lower_exits(struct cs_rt_unit *unit);
int cs_rt_lower_launch(struct cs_rt_unit *unit);
/* shared.c */
int cs_rt_lower_dynamic_shared(struct cs_rt_unit *unit);
int cs_rt_anchor_shared(struct cs_rt_unit *unit);
/* The others: one file each. */
int cs_rt_add_stops(struct cs_rt_unit *unit);
int cs_rt_lower_masks(struct cs_rt_unit *unit);
int cs_rt_lower_mbarriers(struct cs_rt_unit *unit);
int cs_rt_lower_barriers(struct cs_rt_unit *unit);
int cs_rt_lower_atomics(struct cs_rt_unit *unit);
int cs_rt_load_variable_addresses(struct cs_rt_unit *unit);
int cs_rt_pointers_as_integers(struct cs_rt_unit *unit);
int cs_rt_split_bit_vectors(struct cs_rt_unit *unit);
int cs_rt_check(struct cs_rt_unit *unit);
int cs_rt_end_if_refused(struct cs_rt_unit *unit);
int cs_rt_assign_address_spaces(struct cs_rt_unit *unit);

#endif
