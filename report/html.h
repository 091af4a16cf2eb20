/* html.h: the parts of the HTML page. */
#ifndef CUSAFE_REPORT_HTML_H
#define CUSAFE_REPORT_HTML_H

#include "report/finding.h"

/* Escapes any text for an element or an attribute. */
void cs_report_html_text(FILE *out, const char *text);

/* Drawings; they write nothing when there is nothing to draw. */
void cs_report_html_heap(const struct cs_finding *finding, FILE *out);
void cs_report_html_grid(const struct cs_finding *finding, FILE *out);

#endif
