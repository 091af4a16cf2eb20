/* signals.h: the program's signal handlers. An engine that contains LLVM replaces them when it starts, also those of
 * SIGINT and SIGTERM, and a fault of the program would end in the engine's request for a bug report. */
#ifndef CUSAFE_CPU_SIGNALS_H
#define CUSAFE_CPU_SIGNALS_H

#include <signal.h>

enum { CS_CPU_SIGNALS = 32 }; /* the standard signals: 1 to 31 */

struct cs_cpu_signals {
  struct sigaction actions[CS_CPU_SIGNALS];
};

void cs_cpu_signals_save(struct cs_cpu_signals *saved);
/* Restores those that are now handled by the library that contains `function`; others are the program's own. */
void cs_cpu_signals_restore(const struct cs_cpu_signals *saved, const void *function);

#endif
