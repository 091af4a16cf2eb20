/* cc_parcels.h: device code as it travels in host objects, one parcel for each architecture. */
#ifndef CUSAFE_CLI_CC_PARCELS_H
#define CUSAFE_CLI_CC_PARCELS_H

#include "cli/argv.h"

/* Appends a file with bitcode to a file of parcels. 0, or -1 with a message. */
int cs_cli_parcel_write(const char *path, const char *arch, const char *bitcode);

/* Unpacks what an object, or each object in an archive, carries for `arch` (NULL: for any) into files that start with `stem`,
 * and appends their names to `found`. Other files carry nothing. *linked is set if an object has the device code's link in
 * it already. 0, or -1 with a message. */
int cs_cli_parcels_unpack(const char *path, const char *arch, const char *stem, struct cs_cli_argv *found, int *linked);

#endif
