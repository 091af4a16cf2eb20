/* golden.h: reports against golden files. CUSAFE_UPDATE_GOLDEN=1 writes the files instead. */
#ifndef CUSAFE_REPORT_TESTS_GOLDEN_H
#define CUSAFE_REPORT_TESTS_GOLDEN_H

#include "report/finding.h"

/* Fails the test when the report of the evidence is not golden/NAME.txt. */
void golden_compare(const char *name, const struct cs_evidence *evidence);
void golden_compare_with(const char *name, const struct cs_evidence *evidence, struct cs_text_options options);

/* Compares text that is already rendered with golden/NAME. The file has <sources> for the folder of the test's
 * sources. */
void golden_compare_text(const char *name, const char *text);

/* Fails when a line is longer than a text report may be. */
void golden_fits(const char *text);

#endif
