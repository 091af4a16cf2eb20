/* environment.h: the environment as CuSafe's libraries read it. */
#ifndef CUSAFE_ENVIRONMENT_H
#define CUSAFE_ENVIRONMENT_H

#include <stdlib.h>
#include <sys/auxv.h>

/* 0 in a program that runs with more rights than its caller (set-user-ID, set-group-ID, file capabilities): there the environment
 * is the caller's, and would name files to overwrite and libraries to load. */
static inline int cs_environment_is_trusted(void) {
  return !getauxval(AT_SECURE);
}

/* The variable's value; NULL if it is not set, or not trusted. */
static inline const char *cs_environment(const char *name) {
  return cs_environment_is_trusted() ? getenv(name) : NULL;
}

#endif
