/* origin.h: which process wrote a line of JSON, and when. Lines of many hosts and days are counted by it. */
#ifndef CUSAFE_REPORT_ORIGIN_H
#define CUSAFE_REPORT_ORIGIN_H

#include "report/json.h"

/* Filled by host/findings/origin.c. */
struct cs_report_origin {
  cs_u64 milliseconds; /* since 1970, UTC */
  const char *host;    /* the machine's name */
  const char *run;     /* 16 hexadecimal digits: the same on all lines of a process, and on no other's */
};

/* "time", "host", "run", and "cusafe", the version. Nothing if origin is NULL. */
void cs_report_json_origin(struct cs_report_json *j, const struct cs_report_origin *origin);

#endif
