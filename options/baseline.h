/* baseline.h: fingerprints that are known: of the baseline file, and of the findings of this process.
 *
 * A baseline file has a fingerprint at the beginning of each line; the rest of the line is for people. Empty lines and those that
 * begin with # count for nothing. Callers take turns. */
#ifndef CUSAFE_OPTIONS_BASELINE_H
#define CUSAFE_OPTIONS_BASELINE_H

#include "report/finding.h"

struct cs_options_baseline {
  char (*prints)[CS_FINGERPRINT_MAX];
  size_t count, capacity;
};

/* Adds what the file holds. Returns 0, or -1 with one sentence in error. */
int cs_options_baseline_read(struct cs_options_baseline *baseline, const char *path, char *error, size_t error_size);
void cs_options_baseline_close(struct cs_options_baseline *baseline);
int cs_options_baseline_has(const struct cs_options_baseline *baseline, const char *fingerprint);

/* Adds the finding to the file, unless it is there. Processes that share it take turns. Returns 0, or -1 with errno. */
int cs_options_baseline_write(const char *path, const struct cs_finding *finding,
                              const struct cs_text_options *options);

/* Two places of a process may have the same fingerprint, for it leaves out lines; a baseline with one of them must not hide the
 * other. So the second place in the order of appearance gets -2 behind its fingerprint, and so on. */
struct cs_options_ledger {
  struct cs_options_ledger_entry *entries;
  size_t count, capacity;
};
void cs_options_ledger_number(struct cs_options_ledger *ledger, struct cs_finding *finding);
void cs_options_ledger_close(struct cs_options_ledger *ledger);

#endif
