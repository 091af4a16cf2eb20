/* formats.c: the list of report formats. */
#include "report/formats.h"
#include <string.h>

const struct cs_format *const cs_formats[CS_FORMAT_COUNT] = {
#define CS_FORMAT(id) [CS_FORMAT_INDEX_##id] = &cs_format_##id,
#include "report/format.inc"
};

const struct cs_format *cs_format(const char *name) {
  for (int i = 0; i < CS_FORMAT_COUNT; i++)
    if (strcmp(cs_formats[i]->name, name) == 0)
      return cs_formats[i];
  return NULL;
}
