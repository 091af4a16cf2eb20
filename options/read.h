/* read.h: opens a file that an option names to be read. */
#ifndef CUSAFE_OPTIONS_READ_H
#define CUSAFE_OPTIONS_READ_H

#include <stdio.h>

/* Opens the file. The name may be that of a pipe: then waits for its writer, but not for ever. Returns NULL, or why it
 * cannot be read; errno is 0 if the system does not say. */
const char *cs_options_read_open(const char *path, FILE **file);

#endif
