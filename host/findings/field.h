/* field.h: which errors about an index inside an object say nothing new. */
#ifndef CUSAFE_HOST_FINDINGS_FIELD_H
#define CUSAFE_HOST_FINDINGS_FIELD_H

#include "host/modules/checked.h"

/* Whether the site checks an index, and an access in the same line of the same function went wrong as well: then the array is
 * the whole object, and the access tells more. The tally holds all records of the drain. */
int cs_host_field_is_covered(const struct cs_host_checked *checked, cs_u32 site);

#endif
