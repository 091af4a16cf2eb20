/* reasons.h: why an access has no check. */
#ifndef CUSAFE_PASS_MODULE_REASONS_H
#define CUSAFE_PASS_MODULE_REASONS_H

enum cs_pass_reason {
#define CS_PASS_REASON(id, name, option) CS_PASS_REASON_##id,
#include "pass/module/reasons.inc"
  CS_PASS_REASON_COUNT
};

/* Parses the list of -cusafe-eliminate. Returns bits by reason, or -1 after one sentence on stderr. */
int cs_pass_parse_eliminations(const char *list);

struct cs_pass;
/* 1 if this elimination is on. */
int cs_pass_eliminates(const struct cs_pass *pass, enum cs_pass_reason reason);

/* Its name in statistics. */
const char *cs_pass_reason_name(enum cs_pass_reason reason);

#endif
