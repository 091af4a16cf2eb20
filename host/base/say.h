/* say.h: the one place that prints. */
#ifndef CUSAFE_HOST_BASE_SAY_H
#define CUSAFE_HOST_BASE_SAY_H

#include <stdio.h>

/* Standard error, or the file that log_path names. */
FILE *cs_host_out(void);

/* One line, "cusafe: ...", when verbosity is at least level. */
void cs_host_say(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same, at most once for each place in the source. */
#define cs_host_say_once(level, ...)                                                                                   \
  do {                                                                                                                 \
    static int said;                                                                                                   \
    if (!__atomic_exchange_n(&said, 1, __ATOMIC_RELAXED))                                                              \
      cs_host_say(level, __VA_ARGS__);                                                                                 \
  } while (0)

#endif
