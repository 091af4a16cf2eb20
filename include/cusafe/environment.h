/* environment.h: the environment as CuSafe's libraries read it. */
#ifndef CUSAFE_ENVIRONMENT_H
#define CUSAFE_ENVIRONMENT_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* 0 in a program that runs with more rights than its caller (set-user-ID, set-group-ID, file capabilities): there the
 * environment is the caller's, and would name files to overwrite and libraries to load. */
static inline int cs_environment_is_trusted(void) {
  return !getauxval(AT_SECURE);
}

/* The variable's value; NULL if it is not set, or not trusted. */
static inline const char *cs_environment(const char *name) {
  return cs_environment_is_trusted() ? getenv(name) : NULL;
}

/* Its value as a positive number; the fallback, after it has printed one sentence, when it is anything else. */
static inline unsigned long long cs_environment_number(const char *name, unsigned long long fallback,
                                                       unsigned long long max) {
  const char *text = cs_environment(name);
  if (!text || !*text)
    return fallback;
  char *end;
  unsigned long long value = strtoull(text, &end, 0);
  if (*end == '\0' && *text != '-' && value > 0 && value <= max)
    return value;
  fprintf(stderr, "cusafe: %s=%s is ignored: it must be a number from 1 to %llu\n", name, text, max);
  return fallback;
}

#endif
