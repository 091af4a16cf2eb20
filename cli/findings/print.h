/* print.h: merged findings in several formats, on standard output. */
#ifndef CUSAFE_CLI_FINDINGS_PRINT_H
#define CUSAFE_CLI_FINDINGS_PRINT_H

#include "cli/findings/set.h"

/* Lines of JSON with a field "merged". */
void cs_cli_print_merged(const struct cs_cli_found_set *set);
/* "fingerprint kind file:line function", as in a baseline. */
void cs_cli_print_known(const struct cs_cli_found *found);
/* The groups with the most lines, at most `limit`. Returns 0, or -1 when out of memory. */
int cs_cli_print_top(struct cs_cli_found_set *set, size_t limit);
/* SARIF 2.1.0 with at most `limit` results, worst first: the last one counts the rest. */
void cs_cli_print_sarif(struct cs_cli_found_set *set, size_t limit);
/* GitLab's Code Quality report. */
void cs_cli_print_gitlab(struct cs_cli_found_set *set);
/* Log records of OpenTelemetry, as one request of OTLP JSON. Hosts differ between records, so they are attributes. */
void cs_cli_print_otlp(struct cs_cli_found_set *set);

#endif
