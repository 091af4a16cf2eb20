/* json.h: writes JSON on one line. Inserts commas automatically; writes valid UTF-8 whatever the strings hold. */
#ifndef CUSAFE_REPORT_JSON_H
#define CUSAFE_REPORT_JSON_H

#include "report/finding.h"
#include <stdio.h>

struct cs_report_json {
  FILE *out;
  int needs_comma;
  size_t text_max; /* strings are cut to this many bytes of JSON; 0: never */
};

/* key is NULL inside an array. */
void cs_report_json_open(struct cs_report_json *j, const char *key, char bracket);     /* { or [ */
void cs_report_json_close(struct cs_report_json *j, char bracket);                     /* } or ] */
void cs_report_json_text(struct cs_report_json *j, const char *key, const char *text); /* nothing if text is NULL */
/* A value that is JSON already. */
void cs_report_json_raw(struct cs_report_json *j, const char *key, const char *text, size_t bytes);
void cs_report_json_number(struct cs_report_json *j, const char *key, cs_u64 number);
void cs_report_json_signed(struct cs_report_json *j, const char *key, cs_i64 number);
void cs_report_json_bool(struct cs_report_json *j, const char *key, int value);

/* As a string: addresses exceed the integers that all JSON readers can represent. */
void cs_report_json_address(struct cs_report_json *j, const char *key, cs_u64 address);
void cs_report_json_triple(struct cs_report_json *j, const char *key, const cs_u32 *numbers);

/* A frame of the host, or of a module's code, which has a site in place of addresses. */
void cs_report_json_frame(struct cs_report_json *j, const char *key, const struct cs_source *frame);
/* "kernel", or "kernels" if it is one of several; of a device record also "block" and "thread". */
void cs_report_json_thread(struct cs_report_json *j, const struct cs_finding *f);

#endif
