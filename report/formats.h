/* formats.h: the list of report formats. */
#ifndef CUSAFE_REPORT_FORMATS_H
#define CUSAFE_REPORT_FORMATS_H

#include "report/format.h"

enum {
#define CS_FORMAT(id) CS_FORMAT_INDEX_##id,
#include "report/format.inc"
  CS_FORMAT_COUNT
};
extern const struct cs_format *const cs_formats[CS_FORMAT_COUNT];

/* The format of this name, or NULL. */
const struct cs_format *cs_format(const char *name);

#endif
