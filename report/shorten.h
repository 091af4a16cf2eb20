/* shorten.h: names and paths shortened to a number of columns; "..." replaces what is omitted. */
#ifndef CUSAFE_REPORT_SHORTEN_H
#define CUSAFE_REPORT_SHORTEN_H

#include <stddef.h>

/* A C++ name. Template arguments and parameters are shortened first, the longest list first, each in its middle; then
 * return type and namespaces are omitted; then the middle of the whole. `to` has room for columns + 1 bytes. Returns
 * the name itself if it fits, else to. */
const char *cs_report_short_name(const char *name, size_t columns, char *to);

/* A path. Folders are omitted from the left; of a file name that is too long on its own, the middle. Returns
 * likewise. */
const char *cs_report_short_path(const char *path, size_t columns, char *to);

#endif
