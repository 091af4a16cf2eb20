/* sites.h: the reader of a checked module's site table, which does not trust the table.
 *
 * The table is copied from device memory, which the reported bug itself may have overwritten. So every offset is
 * checked against the bytes available, and every entry is copied out instead of being read through a cast pointer. */
#ifndef CUSAFE_REPORT_SITES_H
#define CUSAFE_REPORT_SITES_H

#include "report/evidence.h"

struct cs_report_sites {
  const unsigned char *bytes;
  struct cs_module header;
};

/* Opens the table at `table`, of which `available` bytes may be read; 0 means as many as its header states.
 * Returns 0, or -1 when it is not a table of this version or one of its parts is out of bounds. */
int cs_report_sites_open(struct cs_report_sites *sites, const void *table, size_t available);

/* Copy one entry out. Return 0, or -1 when there is no such entry. */
int cs_report_sites_site(const struct cs_report_sites *sites, cs_u32 index, struct cs_site *site);
int cs_report_sites_frame(const struct cs_report_sites *sites, cs_u32 index, struct cs_frame *frame);

/* Opens the table of a record, and copies its site out. Returns 0, or -1 when there is none. */
int cs_report_sites_find(struct cs_report_sites *sites, const struct cs_recorded *at, struct cs_site *site);

/* The string at an offset of the pool; "" when there is none. Never NULL. */
const char *cs_report_sites_string(const struct cs_report_sites *sites, cs_u32 offset);

/* Deeper inlining than this is not readable, and a corrupt chain must end. */
enum { CS_REPORT_DEPTH_MAX = 64 };

/* The chain from `frame` outwards, with demangled names, in memory of the arena. Returns 0, or -1 when out of
 * memory. */
int cs_report_sites_stack(const struct cs_report_sites *sites, cs_u32 frame, void **arena, struct cs_stack *stack);

/* The length of the chain from `frame` outwards: at most `limit`, so that a circular chain ends. */
size_t cs_report_sites_depth(const struct cs_report_sites *sites, cs_u32 frame, size_t limit);

#endif
