/* label.h: names of buffers that are not sub-allocations, for reports. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_LABEL_H
#define CUSAFE_HOST_HEAP_LABEL_H

#include "cusafe/layout.h"
#include "host/base/hash.h"

/* name: stays valid; NULL removes it. Without memory for it the buffer has no name. */
void cs_host_label_set(struct cs_host_hash *labels, cs_u64 start, const char *name);
/* Of the last buffer that started here, or NULL. */
const char *cs_host_label_of(const struct cs_host_hash *labels, cs_u64 start);
/* The buffer is freed. It keeps its name until another one starts here, unless there are too many. */
void cs_host_label_freed(struct cs_host_hash *labels, cs_u64 start);

#endif
