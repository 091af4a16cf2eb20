/* rank.h: numbers code locations that have the same fingerprint by their order in the code.
 *
 * A fingerprint omits line numbers, so two locations may have the same one; a baseline with one of them must not hide
 * the other. The numbers depend on the code only. Copies of one source location, as of an unrolled loop, have one
 * number. */
#ifndef CUSAFE_REPORT_RANK_H
#define CUSAFE_REPORT_RANK_H

#include "report/fingerprint.h"

struct cs_report_ranked {
  struct cs_report_fingerprint print;
  cs_u64 place;       /* in the code: an address, or an index of a table */
  cs_u64 rank, ranks; /* set here: the rank among those with the same print.bug, from 0; and how many there are */
};

/* Ranks them, and sorts them by place. */
void cs_report_rank(struct cs_report_ranked *all, size_t count);

#endif
