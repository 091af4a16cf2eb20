/* settings.c: where the cache is: NVIDIA's variables, and a separate folder, because their driver has no use for our
 * files. */
#include "jit/settings.h"
#include "cusafe/environment.h"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static struct cs_jit_cache_settings settings;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void read_all(void) {
  static const struct {
    const char *variable, *below;
  } folders[] = {{"CUDA_CACHE_PATH", ""}, {"XDG_CACHE_HOME", "/cusafe"}, {"HOME", "/.cache/cusafe"}};
  const char *disable = cs_environment("CUDA_CACHE_DISABLE");
  settings.bytes = (size_t)cs_environment_number("CUDA_CACHE_MAXSIZE", 1ull << 30, SIZE_MAX / 2);
  for (size_t i = 0; i < sizeof folders / sizeof *folders && (!disable || strcmp(disable, "1") != 0); i++) {
    const char *folder = cs_environment(folders[i].variable);
    if (!folder || *folder != '/')
      continue;
    int length = snprintf(settings.folder, sizeof settings.folder, "%s%s", folder, folders[i].below);
    if (length > 0 && (size_t)length < sizeof settings.folder)
      return;
  }
  settings.folder[0] = '\0';
}

const struct cs_jit_cache_settings *cs_jit_cache_settings(void) {
  pthread_once(&once, read_all);
  return &settings;
}
