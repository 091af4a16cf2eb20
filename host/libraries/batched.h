/* batched.h: operands of cuBLAS that are arrays of pointers in device memory. */
#ifndef CUSAFE_HOST_LIBRARIES_BATCHED_H
#define CUSAFE_HOST_LIBRARIES_BATCHED_H

#include "host/findings/span.h"
#include <stdint.h>

/* The array if it leaves its buffer, otherwise the first of the matrices that does, or nothing. one.base is the array;
 * the matrices have the rest of `one`. The array is read only if all earlier work of the handle's stream has ended:
 * until then the program may be writing it. */
struct cs_host_span cs_host_batched(void *handle, struct cs_host_span one, int64_t count);

#endif
