/* detect.h: lists of what to look for, as --detect=LIST has them. No global state. */
#ifndef CUSAFE_OPTIONS_DETECT_H
#define CUSAFE_OPTIONS_DETECT_H

#include <stddef.h>

enum cs_options_detect {
#define CS_DETECT(id, name) CS_OPTIONS_DETECT_##id,
#include "cusafe/detects.inc"
  CS_OPTIONS_DETECT_COUNT
};

enum { CS_OPTIONS_DETECT_MAX = 64 }; /* bytes of a list of all names, with its end */

/* Reads "race,init", "all" or "". *detects: bits by enum cs_options_detect, without errors of memory, which are always
 * looked for. Returns 0, or -1 with the end of a sentence in error: "unknown word 'x'; expected ...". */
int cs_options_detect_read(const char *list, unsigned *detects, char *error, size_t size);

/* The names of these bits with commas between them, in the order of detects.inc. Returns `to`. */
const char *cs_options_detect_list(unsigned detects, char to[CS_OPTIONS_DETECT_MAX]);

#endif
