/* origin.c: the origin of a line, in JSON. */
#include "report/origin.h"
#include <time.h>

void cs_report_json_origin(struct cs_report_json *j, const struct cs_report_origin *o) {
  char text[64], milliseconds[8];
  struct tm utc;
  if (!o)
    return;
  time_t seconds = (time_t)(o->milliseconds / 1000);
  gmtime_r(&seconds, &utc);
  size_t used = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &utc);
  snprintf(milliseconds, sizeof milliseconds, ".%03uZ", (unsigned)(o->milliseconds % 1000));
  snprintf(text + used, sizeof text - used, "%s", milliseconds);
  cs_report_json_text(j, "time", text);
  cs_report_json_text(j, "host", o->host);
  cs_report_json_text(j, "run", o->run);
  cs_report_json_text(j, "cusafe", CUSAFE_VERSION);
}
