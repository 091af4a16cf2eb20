/* steps.h: the steps of steps.inc. Each returns 0, or CS_LIFT_REFUSED or CS_LIFT_BUG after a message. */
#ifndef CUSAFE_LIFT_STEPS_H
#define CUSAFE_LIFT_STEPS_H

#include "lift/unit.h"

/* build.c: the module of one input. */
int cs_lift_start_module(struct cs_lift_unit *unit);
int cs_lift_declare(struct cs_lift_unit *unit);
int cs_lift_translate_bodies(struct cs_lift_unit *unit);
int cs_lift_end_if_refused(struct cs_lift_unit *unit);

/* globals.c: variables of the module. */
/* Writes the initialisers, which may name variables that are declared later. */
int cs_lift_initialise(struct cs_lift_unit *unit);
/* Keeps what code of nvcc -G does to the variables: LLVM would remove stores that nothing reads. */
int cs_lift_keep_variables(struct cs_lift_unit *unit);

/* link.c: links the units that follow this one, through `next`, to its module. */
int cs_lift_link_inputs(struct cs_lift_unit *unit);

/* infer.c: turns registers into SSA values, and the integers that are proven to be addresses into pointers. */
int cs_lift_promote_registers(struct cs_lift_unit *unit);
int cs_lift_inline_small(struct cs_lift_unit *unit);
int cs_lift_retype_functions(struct cs_lift_unit *unit);
int cs_lift_show_all_multiples(struct cs_lift_unit *unit);
int cs_lift_write_all_pointers(struct cs_lift_unit *unit);
int cs_lift_type_all_vectors(struct cs_lift_unit *unit);
int cs_lift_simplify(struct cs_lift_unit *unit);

#endif
