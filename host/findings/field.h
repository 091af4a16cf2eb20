/* field.h: recognises index errors that an access error already covers. */
#ifndef CUSAFE_HOST_FINDINGS_FIELD_H
#define CUSAFE_HOST_FINDINGS_FIELD_H

#include "host/modules/checked.h"

/* Whether the site checks an index, and an access on the same line of the same function faulted as well: then the array
 * is the whole object, and the access error contains more. The tally must hold all records of the drain. */
int cs_host_field_is_covered(const struct cs_host_checked *checked, cs_u32 site);

/* The index errors at the site, if the device's counts are lost: all that no other site has. */
cs_u64 cs_host_field_errors(const struct cs_host_checked *checked, cs_u32 site);

#endif
