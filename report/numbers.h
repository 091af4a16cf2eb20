/* numbers.h: numbers the sites of a module whose fingerprints are equal, in the order of its site table.
 * See rank.h for the reason. Not thread-safe. */
#ifndef CUSAFE_REPORT_NUMBERS_H
#define CUSAFE_REPORT_NUMBERS_H

#include "report/evidence.h"

struct cs_report_numbers;

/* For a table, which must outlive it, with this many readable bytes. NULL if it is not a table, or out of memory. */
struct cs_report_numbers *cs_report_numbers_new(const struct cs_module *table, size_t bytes);
void cs_report_numbers_delete(struct cs_report_numbers *numbers); /* or NULL */

/* The number of a site, from 1; 0 if there is no such site, or out of memory. All sites together take time linear in
 * the size of the table, apart from sorting. */
cs_u32 cs_report_number(struct cs_report_numbers *numbers, cs_u32 site);

#endif
