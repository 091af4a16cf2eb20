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

/* The folder `below` the one that a variable names. Returns 0, or -1 if it names none, or the path is too long. */
static int name_folder(char to[PATH_MAX], const char *variable, const char *below) {
  const char *folder = cs_environment(variable);
  int length = folder && *folder == '/' ? snprintf(to, PATH_MAX, "%s%s", folder, below) : 0;
  return length > 0 && length < PATH_MAX ? 0 : -1;
}

int cs_jit_cache_home(char to[PATH_MAX]) {
  return name_folder(to, "XDG_CACHE_HOME", "/cusafe") ? name_folder(to, "HOME", "/.cache/cusafe") : 0;
}

static void read_all(void) {
  const char *disable = cs_environment("CUDA_CACHE_DISABLE");
  settings.bytes = (size_t)cs_environment_number("CUDA_CACHE_MAXSIZE", 1ull << 30, SIZE_MAX / 2);
  int is_disabled = disable && strcmp(disable, "1") == 0;
  if (is_disabled || (name_folder(settings.folder, "CUDA_CACHE_PATH", "") && cs_jit_cache_home(settings.folder)))
    settings.folder[0] = '\0';
  if (is_disabled || name_folder(settings.shared, "CUSAFE_CACHE_SHARED", ""))
    settings.shared[0] = '\0';
  settings.fills = *settings.shared && cs_environment("CUSAFE_CACHE_FILL");
  if (!settings.fills)
    return;
  memcpy(settings.folder, settings.shared, sizeof settings.folder);
  settings.shared[0] = '\0';
}

const struct cs_jit_cache_settings *cs_jit_cache_settings(void) {
  pthread_once(&once, read_all);
  return &settings;
}
