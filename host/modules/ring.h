/* ring.h: reads the error ring, and counts its errors by site. No driver calls. */
#ifndef CUSAFE_HOST_MODULES_RING_H
#define CUSAFE_HOST_MODULES_RING_H

#include "cusafe/abi.h"
#include <stddef.h>

/* The device can write to all of the ring, and kernels with a bug may do so: what the ring states about itself is not
 * trusted. capacity: the records that there is memory for.
 *
 * The next record that the device has finished, or NULL. *drained counts the records read; last: the device will write
 * no more, so unfinished records are skipped. */
const struct cs_record *cs_host_ring_next(const struct cs_ring *ring, cs_u32 capacity, cs_u32 *drained, int last);

/* Records started so far, at most the capacity. */
cs_u32 cs_host_ring_written(const struct cs_ring *ring, cs_u32 capacity);

/* All errors so far, recorded or not. */
cs_u64 cs_host_ring_errors(const struct cs_ring *ring);

/* Of these, those at indices; at most all, as long as no error was added between the two calls. */
cs_u64 cs_host_ring_indices(const struct cs_ring *ring);

/* Errors at each site of a module. */
struct cs_host_tally {
  cs_u32 site_count;
  cs_u64 (*errors)[CS_FAULT_COUNT]; /* known so far, by site */
  cs_u64 *reported;                 /* a bit for each kind that was reported in full, by site */
};

int cs_host_tally_open(struct cs_host_tally *tally, cs_u32 site_count);
void cs_host_tally_close(struct cs_host_tally *tally);

/* A record was read that represents at least this many errors. They count if the device's counts cannot be read. */
void cs_host_tally_record(struct cs_host_tally *tally, const struct cs_record *record, cs_u64 errors);

/* The device's exact counts. */
void cs_host_tally_counts(struct cs_host_tally *tally, const cs_fault_counts *counts);

/* 1 the first time for this site and kind. */
int cs_host_tally_first(struct cs_host_tally *tally, cs_u32 site, unsigned kind);
cs_u64 cs_host_tally_errors(const struct cs_host_tally *tally, cs_u32 site);
cs_u64 cs_host_tally_like(const struct cs_host_tally *tally,
                          const struct cs_record *record); /* of its site and fault */

/* Another site's report covers the site's errors: they no longer count. */
void cs_host_tally_hide(struct cs_host_tally *tally, cs_u32 site);

/* The options ignore the errors of the record's site and fault: they no longer count. */
void cs_host_tally_ignore(struct cs_host_tally *tally, const struct cs_record *record);

struct cs_host_totals {
  cs_u64 sites;  /* with errors */
  cs_u64 silent; /* of those, without a record: there was no room */
  cs_u64 hidden; /* errors that do not count */
};
void cs_host_tally_total(const struct cs_host_tally *tally, struct cs_host_totals *totals);

#endif
