/* count.h: counts executed accesses and checks, in modules that ask for it. */
#ifndef CUSAFE_PASS_COUNT_H
#define CUSAFE_PASS_COUNT_H

#include "pass/module/pass.h"

/* Calls __cs_count at every remaining access and check, if the module defines it. */
int cs_pass_count_accesses(struct cs_pass *pass);

/* Counts the executed checks in __cs_checks, if -cusafe-count is given. */
int cs_pass_count_checks(struct cs_pass *pass);

#endif
