/* detectors.c: the list of detectors. A build may add one from outside of the tree: CUSAFE_EXTRA_DETECTORS names a file
 * like detectors.inc (tests/detector). */
#include "pass/detect/detectors.h"

#define CS_PASS_DETECTOR(name) extern const struct cs_pass_detector cs_pass_detect_##name;
#include "pass/detect/detectors.inc"
#ifdef CUSAFE_EXTRA_DETECTORS
#define CS_PASS_DETECTOR(name) extern const struct cs_pass_detector cs_pass_detect_##name;
#include CUSAFE_EXTRA_DETECTORS
#endif

const struct cs_pass_detector *const cs_pass_detectors[] = {
#define CS_PASS_DETECTOR(name) &cs_pass_detect_##name,
#include "pass/detect/detectors.inc"
#ifdef CUSAFE_EXTRA_DETECTORS
#define CS_PASS_DETECTOR(name) &cs_pass_detect_##name,
#include CUSAFE_EXTRA_DETECTORS
#endif
    NULL,
};
