/* signals.c: saves and restores the program's signal handlers around the engine's start. */
#include "cpu/cuda/engine/signals.h"
#include <dlfcn.h>
#include <stdint.h>

void cs_cpu_signals_save(struct cs_cpu_signals *saved) {
  for (int i = 1; i < CS_CPU_SIGNALS; i++)
    sigaction(i, NULL, &saved->actions[i]);
}

static int is_in_library(const struct sigaction *action, const void *base) {
  Dl_info info;
  const void *handler = action->sa_flags & SA_SIGINFO ? (const void *)(uintptr_t)action->sa_sigaction
                                                      : (const void *)(uintptr_t)action->sa_handler;
  return dladdr(handler, &info) && info.dli_fbase == base; /* SIG_DFL and SIG_IGN are in none */
}

void cs_cpu_signals_restore(const struct cs_cpu_signals *saved, const void *function) {
  Dl_info library;
  if (!dladdr(function, &library))
    return;
  for (int i = 1; i < CS_CPU_SIGNALS; i++) {
    struct sigaction now;
    if (sigaction(i, NULL, &now) == 0 && is_in_library(&now, library.dli_fbase))
      sigaction(i, &saved->actions[i], NULL);
  }
}
