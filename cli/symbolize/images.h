/* images.h: files of findings, mapped to be read, so that addresses in them are resolved as in the process that had
 * loaded them. */
#ifndef CUSAFE_CLI_SYMBOLIZE_IMAGES_H
#define CUSAFE_CLI_SYMBOLIZE_IMAGES_H

#include "cusafe/layout.h"

/* From now on, host/stacks/address.h resolves addresses in these files. 0, or -1 if libdw cannot be used. */
int cs_cli_images_start(void);

/* The address at which this offset of a file is mapped; 0 if the file, or one with this build identifier, is not found:
 * one sentence states which. build: in hexadecimal; "" if the file has none. */
cs_u64 cs_cli_images_address(const char *module, const char *build, cs_u64 offset);

#endif
