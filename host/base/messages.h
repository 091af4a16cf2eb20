/* messages.h: CuSafe's own lines and the report stream. Nothing else in host/ prints. */
#ifndef CUSAFE_HOST_BASE_MESSAGES_H
#define CUSAFE_HOST_BASE_MESSAGES_H

#include <stdio.h>

/* The report stream: standard error, or the file that log_path names. */
FILE *cs_host_out(void);
/* States on standard error if part of what was written there was lost. */
void cs_host_out_end(void);

/* Prints one line, "cusafe: ...", if verbosity is at least level. */
void cs_host_message(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints the line at most once for each call site. */
#define cs_host_message_once(level, ...)                                                                               \
  do {                                                                                                                 \
    static int printed;                                                                                                \
    if (!__atomic_exchange_n(&printed, 1, __ATOMIC_RELAXED))                                                           \
      cs_host_message(level, __VA_ARGS__);                                                                             \
  } while (0)

#endif
