/* baseline.h: known fingerprints: those of the baseline file, and those of the findings of this process.
 *
 * Each line of a baseline file starts with a fingerprint; the rest of the line is for people. Empty lines and lines
 * that start with # are ignored. Not thread-safe. */
#ifndef CUSAFE_OPTIONS_BASELINE_H
#define CUSAFE_OPTIONS_BASELINE_H

#include "report/finding.h"

struct cs_options_baseline {
  char (*prints)[CS_FINGERPRINT_MAX];
  size_t count, capacity;
};

/* Adds the fingerprints of the file. Returns 0, or -1 with one sentence in error. */
int cs_options_baseline_read(struct cs_options_baseline *baseline, const char *path, char *error, size_t error_size);
void cs_options_baseline_close(struct cs_options_baseline *baseline);
int cs_options_baseline_has(const struct cs_options_baseline *baseline, const char *fingerprint);

/* Adds the finding to the file, unless it is there. A file lock serialises processes. Returns 0, or -1 with errno. */
int cs_options_baseline_write(const char *path, const struct cs_finding *finding,
                              const struct cs_text_options *options);

/* Two sites of a process may have the same fingerprint, because it omits line numbers; a baseline with one of them must
 * not hide the other. So the second site gets the suffix -2, and so on: in the order of the module's site table, which
 * does not depend on the run; those of other modules and of the host in order of appearance. */
struct cs_options_ledger {
  struct cs_options_ledger_entry *entries;
  size_t count, capacity;
};
void cs_options_ledger_number(struct cs_options_ledger *ledger, struct cs_finding *finding);
void cs_options_ledger_close(struct cs_options_ledger *ledger);

#endif
