/* nearest.h: what a misspelt word was meant to be. */
#ifndef CUSAFE_OPTIONS_NEAREST_H
#define CUSAFE_OPTIONS_NEAREST_H

#include <stddef.h>

/* The name in the list with the fewest edits, if they are few; or NULL. */
const char *cs_options_nearest(const char *word, const char *const *names, size_t count);

#endif
