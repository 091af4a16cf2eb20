/* baseline.h: known fingerprints: those of the baseline file, and those of the file that the findings are added to.
 *
 * Each line of a baseline file starts with a fingerprint; the rest of the line is for people. Empty lines and lines
 * that start with # are ignored. Not thread-safe. */
#ifndef CUSAFE_OPTIONS_BASELINE_H
#define CUSAFE_OPTIONS_BASELINE_H

#include "report/finding.h"

struct cs_options_known; /* a fingerprint */

/* A hash set. Starts as zeros. */
struct cs_options_baseline {
  struct cs_options_known *slots;
  size_t count, capacity;
  cs_u64 file, bytes_read; /* of cs_options_baseline_write: the file's inode, and how much of it the set contains */
};

/* Adds the fingerprints of the file. Returns 0, or -1 with one sentence in error. */
int cs_options_baseline_read(struct cs_options_baseline *baseline, const char *path, char *error, size_t error_size);
void cs_options_baseline_close(struct cs_options_baseline *baseline);
int cs_options_baseline_has(const struct cs_options_baseline *baseline, const char *fingerprint);

/* Adds the finding to the file, unless it is there. written: what the file is known to contain; each call reads only
 * what other processes have added since the last one. A file lock serialises them. Returns 0, or -1 with errno. */
int cs_options_baseline_write(struct cs_options_baseline *written, const char *path, const struct cs_finding *finding,
                              const struct cs_text_options *options);

#endif
