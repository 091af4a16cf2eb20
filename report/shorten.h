/* shorten.h: names and paths in as many columns as a line has room for. What is left out is "..." in their place. */
#ifndef CUSAFE_REPORT_SHORTEN_H
#define CUSAFE_REPORT_SHORTEN_H

#include <stddef.h>

/* A C++ name. The lists of template arguments and parameters are shortened first, the longest first, each in its middle; then
 * return type and namespaces are left out; then the middle of the whole. `to` takes columns + 1 bytes. Returns the name itself if it fits, else to. */
const char *cs_report_short_name(const char *name, size_t columns, char *to);

/* A path. Folders are left out from the left; of a file name that is too long alone, the middle. Likewise. */
const char *cs_report_short_path(const char *path, size_t columns, char *to);

#endif
