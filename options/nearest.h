/* nearest.h: suggestions for a misspelt name. */
#ifndef CUSAFE_OPTIONS_NEAREST_H
#define CUSAFE_OPTIONS_NEAREST_H

#include <stddef.h>

/* The name in the list with the smallest edit distance, or NULL if none is similar. */
const char *cs_options_nearest(const char *name, const char *const *names, size_t count);

#endif
