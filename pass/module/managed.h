/* managed.h: `__managed__` variables in device code. */
#ifndef CUSAFE_PASS_MODULE_MANAGED_H
#define CUSAFE_PASS_MODULE_MANAGED_H

#include "pass/module/pass.h"

/* For the back end: PTX has `.attribute(.managed)`, without which NVIDIA's runtime library finds no managed
 * variable. */
int cs_pass_keep_managed(struct cs_pass *pass);

#endif
