/* initialisers.h: pointers to module variables in initialisers: no instruction gives them their bounds, so the host
 * does. */
#ifndef CUSAFE_HOST_MODULES_INITIALISERS_H
#define CUSAFE_HOST_MODULES_INITIALISERS_H

#include "host/modules/checked.h"
#include "host/modules/loaded.h"

/* Writes the escaping form of each pointer, once the module's variables have their numbers. A pointer whose variable
 * has no number stays plain: accesses through it are not checked. Returns 0 or a CUresult. */
int cs_host_initialisers_bound(struct cs_host_loaded image, const struct cs_host_checked *checked);

#endif
