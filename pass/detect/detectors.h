/* detectors.h: the list of detectors. Adding one: docs/develop/extending.md. */
#ifndef CUSAFE_PASS_DETECT_DETECTORS_H
#define CUSAFE_PASS_DETECT_DETECTORS_H

#include "pass/function/detector.h"

/* Ends with NULL. */
extern const struct cs_pass_detector *const cs_pass_detectors[];

#endif
