/* sites.h: reading the site table of a checked module without trusting it.
 *
 * The table is copied from device memory, which the very bug that is being reported may have overwritten. So every offset
 * is checked against the bytes that are really there, and nothing is read in place through a cast pointer. */
#ifndef CUSAFE_REPORT_SITES_H
#define CUSAFE_REPORT_SITES_H

#include "cusafe/abi.h"
#include <stddef.h>

struct cs_report_sites {
  const unsigned char *bytes;
  struct cs_module header;
};

/* Opens the table at `table`, of which `available` bytes may be read; 0 means as many as its header says.
 * Returns 0, or -1 when it is not a table of this version or one of its parts lies outside. */
int cs_report_sites_open(struct cs_report_sites *sites, const void *table, size_t available);

/* Copy one entry out. Return 0, or -1 when there is no such entry. */
int cs_report_sites_site(const struct cs_report_sites *sites, cs_u32 index, struct cs_site *site);
int cs_report_sites_frame(const struct cs_report_sites *sites, cs_u32 index, struct cs_frame *frame);

/* The string at an offset of the pool; "" when there is none. Never NULL. */
const char *cs_report_sites_string(const struct cs_report_sites *sites, cs_u32 offset);

/* How many frames the chain from `frame` outwards has: at most `limit`, so a chain that bites its tail ends. */
size_t cs_report_sites_depth(const struct cs_report_sites *sites, cs_u32 frame, size_t limit);

#endif
