/* detectors.h: modules that were built without what this run looks for (the option detect). */
#ifndef CUSAFE_HOST_MODULES_DETECTORS_H
#define CUSAFE_HOST_MODULES_DETECTORS_H

#include "cusafe/layout.h"

/* A module is attached: counts it, and prints once how to build it, if it lacks a detector. flags: CS_MODULE_*, 0 for a
 * module without checks. */
void cs_host_detectors_compare(cs_u32 flags);

#endif
