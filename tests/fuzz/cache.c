/* cache.c: a file of the cache of compiled modules. */
#include "jit/cache.h"
#include "tests/fuzz/fuzz.h"
#include <dirent.h>

static char path[512];
static const char engine[] = "engine", spirv[] = "spirv", binary[] = "binary";

/* Keeps a valid file in a new folder, and stores its path. */
static void open_cache(void) {
  char folder[] = "/dev/shm/cusafe-fuzz-XXXXXX";
  if (!mkdtemp(folder))
    abort();
  setenv("CUDA_CACHE_PATH", folder, 1);
  cs_jit_cache_keep(engine, spirv, sizeof spirv, binary, sizeof binary);
  DIR *list = opendir(folder);
  for (struct dirent *entry; list && (entry = readdir(list));)
    if (entry->d_name[0] != '.')
      snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
  if (!list || !*path)
    abort();
  closedir(list);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!*path)
    open_cache();
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size || fclose(file))
    abort();
  size_t bytes = 0;
  volatile unsigned sum = 0;
  unsigned char *found = cs_jit_cache_find(engine, spirv, sizeof spirv, &bytes);
  for (size_t i = 0; found && i < bytes; i++)
    sum += found[i];
  free(found);
  return 0;
}
