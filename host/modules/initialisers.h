/* tables.h: pointers to module variables that initialisers hold: no instruction gives them their bounds, so the host does. */
#ifndef CUSAFE_HOST_MODULES_TABLES_H
#define CUSAFE_HOST_MODULES_TABLES_H

#include "host/modules/checked.h"
#include "host/modules/loaded.h"

/* Writes the escaping form of each, once the module's variables have their numbers. A pointer whose variable has none stays plain:
 * what is accessed through it is not checked. Returns 0 or a CUresult. */
int cs_host_initialisers_bound(struct cs_host_loaded image, const struct cs_host_checked *checked);

#endif
