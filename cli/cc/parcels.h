/* parcels.h: device code embedded in host objects. A parcel is the bitcode for one architecture. */
#ifndef CUSAFE_CLI_CC_PARCELS_H
#define CUSAFE_CLI_CC_PARCELS_H

#include "cli/base/argv.h"

/* Appends the bitcode to a file of parcels. 0, or -1 with a message. */
int cs_cli_parcel_write(const char *path, const char *arch, const char *bitcode);

/* Extracts the parcels of an object, or of each object in an archive, for `arch` (NULL: for any) into files whose names
 * start with `stem`, and appends the names to `found`. Ignores other files. Sets *linked if an object already contains
 * linked device code. 0, or -1 with a message. */
int cs_cli_parcels_unpack(const char *path, const char *arch, const char *stem, struct cs_cli_argv *found, int *linked);

#endif
