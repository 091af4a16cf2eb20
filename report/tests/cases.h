/* cases.h: evidence for one finding of every kind, for the tests of the formats. */
#ifndef CUSAFE_REPORT_TESTS_CASES_H
#define CUSAFE_REPORT_TESTS_CASES_H

#include "report/finding.h"

/* The evidence of this kind, in static memory until the next call. */
const struct cs_evidence *case_of_kind(enum cs_kind kind);

#endif
