/* paint.h: the colours of a text report. */
#ifndef CUSAFE_REPORT_PAINT_H
#define CUSAFE_REPORT_PAINT_H

#include "report/finding.h"

enum cs_report_paint {
  CS_REPORT_PAINT_PLAIN,
  CS_REPORT_PAINT_ERROR,
  CS_REPORT_PAINT_ACCESS,
  CS_REPORT_PAINT_CARET,
  CS_REPORT_PAINT_STRONG
};

/* The escape sequence, or "" without colour. */
static inline const char *cs_report_paint(const struct cs_text_options *options, enum cs_report_paint paint) {
  static const char *const codes[] = {
      [CS_REPORT_PAINT_PLAIN] = "\033[0m",     [CS_REPORT_PAINT_ERROR] = "\033[1;31m",
      [CS_REPORT_PAINT_ACCESS] = "\033[1;34m", [CS_REPORT_PAINT_CARET] = "\033[1;32m",
      [CS_REPORT_PAINT_STRONG] = "\033[1m",
  };
  return options && options->color ? codes[paint] : "";
}

#endif
