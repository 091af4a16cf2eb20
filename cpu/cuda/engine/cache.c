/* cache.c: keeps compiled device modules in a folder of the user, and removes the least recently used ones first. */
#include "cpu/cuda/engine/cache.h"
#include "cpu/cuda/base/options.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct header {
  char magic[8];
  uint64_t engine, spirv, binary; /* bytes of each; the three follow in this order */
};
static const char magic[8] = "cusafe1";
#define SUFFIX ".cusafe"
#define MAX_BYTES ((size_t)1 << 30) /* of one binary */

static uint64_t hash(uint64_t sum, const void *data, size_t bytes) {
  for (size_t i = 0; i < bytes; i++)
    sum = (sum ^ ((const unsigned char *)data)[i]) * 1099511628211ull;
  return sum;
}

static int path_of(char *path, size_t size, const char *engine, const void *spirv, size_t bytes) {
  uint64_t name = hash(hash(14695981039346656037ull, engine, strlen(engine)), spirv, bytes);
  int length = snprintf(path, size, "%s/%016llx" SUFFIX, cs_cpu_options()->cache, (unsigned long long)name);
  return length > 0 && (size_t)length < size ? 0 : -1;
}

/* Whether the next bytes of the file are these. */
static int matches(FILE *file, const void *expected, size_t bytes) {
  char part[4096];
  for (size_t done = 0; done < bytes;) {
    size_t step = bytes - done < sizeof part ? bytes - done : sizeof part;
    if (fread(part, 1, step, file) != step || memcmp(part, (const char *)expected + done, step) != 0)
      return 0;
    done += step;
  }
  return 1;
}

/* The bytes of binary in the file if it is for this module, else 0. */
static size_t binary_in(FILE *file, const char *engine, const void *spirv, size_t bytes) {
  struct header h;
  struct stat status;
  size_t before = sizeof h + strlen(engine) + bytes;
  if (fread(&h, sizeof h, 1, file) != 1 || memcmp(h.magic, magic, sizeof magic) != 0 || h.engine != strlen(engine) ||
      h.spirv != bytes || fstat(fileno(file), &status) != 0 || (uint64_t)status.st_size != before + h.binary)
    return 0;
  return matches(file, engine, strlen(engine)) && matches(file, spirv, bytes) ? (size_t)status.st_size - before : 0;
}

static void *read_binary(FILE *file, const char *engine, const void *spirv, size_t bytes, size_t *binary_bytes) {
  *binary_bytes = binary_in(file, engine, spirv, bytes);
  if (*binary_bytes == 0 || *binary_bytes > MAX_BYTES)
    return NULL;
  void *binary = malloc(*binary_bytes);
  if (binary && fread(binary, 1, *binary_bytes, file) == *binary_bytes)
    return binary;
  free(binary);
  return NULL;
}

void *cs_cpu_cache_find(const char *engine, const void *spirv, size_t bytes, size_t *binary_bytes) {
  char path[PATH_MAX];
  if (!*cs_cpu_options()->cache || path_of(path, sizeof path, engine, spirv, bytes))
    return NULL;
  FILE *file = fopen(path, "rbe");
  if (!file)
    return NULL;
  void *binary = read_binary(file, engine, spirv, bytes, binary_bytes);
  if (binary)
    futimens(fileno(file), NULL); /* marks it as used now */
  fclose(file);
  return binary;
}

/* Creates a folder and its parents, with access for the user only, because the files are executed. */
static void make_folders(const char *path) {
  char part[PATH_MAX];
  for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
    int length = snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
    if (length <= 0 || (size_t)length >= sizeof part || (mkdir(part, 0700) != 0 && errno != EEXIST))
      return;
  }
  mkdir(path, 0700);
}

struct kept {
  char path[PATH_MAX];
  off_t bytes;
  struct timespec used;
};

/* The least recently used file, and the bytes of all files. */
static off_t survey(struct kept *oldest) {
  off_t total = 0;
  oldest->path[0] = '\0';
  DIR *folder = opendir(cs_cpu_options()->cache);
  struct dirent *entry;
  while (folder && (entry = readdir(folder))) {
    struct kept one;
    struct stat status;
    const char *suffix = strstr(entry->d_name, SUFFIX);
    int length = snprintf(one.path, sizeof one.path, "%s/%s", cs_cpu_options()->cache, entry->d_name);
    if (!suffix || length <= 0 || (size_t)length >= sizeof one.path || stat(one.path, &status) != 0)
      continue;
    one.bytes = status.st_size;
    one.used = status.st_mtim;
    total += one.bytes;
    if (!oldest->path[0] || one.used.tv_sec < oldest->used.tv_sec ||
        (one.used.tv_sec == oldest->used.tv_sec && one.used.tv_nsec < oldest->used.tv_nsec))
      *oldest = one;
  }
  if (folder)
    closedir(folder);
  return total;
}

static void make_room(size_t bytes) {
  struct kept oldest;
  while ((size_t)survey(&oldest) + bytes > cs_cpu_options()->cache_bytes && oldest.path[0])
    if (unlink(oldest.path) != 0 && errno != ENOENT)
      return;
}

static int write_all(FILE *file, const char *engine, const void *spirv, size_t bytes, const void *binary,
                     size_t binary_bytes) {
  struct header h = {.engine = strlen(engine), .spirv = bytes, .binary = binary_bytes};
  memcpy(h.magic, magic, sizeof magic);
  int written = fwrite(&h, sizeof h, 1, file) == 1 && fwrite(engine, 1, h.engine, file) == h.engine &&
                fwrite(spirv, 1, bytes, file) == bytes && fwrite(binary, 1, binary_bytes, file) == binary_bytes;
  return fclose(file) == 0 && written ? 0 : -1;
}

/* Writes under another name first, so that readers find a whole file or none. */
void cs_cpu_cache_keep(const char *engine, const void *spirv, size_t bytes, const void *binary, size_t binary_bytes) {
  char path[PATH_MAX], temporary[PATH_MAX];
  size_t all = sizeof(struct header) + strlen(engine) + bytes + binary_bytes;
  if (!*cs_cpu_options()->cache || all > cs_cpu_options()->cache_bytes ||
      path_of(path, sizeof path, engine, spirv, bytes))
    return;
  int length = snprintf(temporary, sizeof temporary, "%s/new-XXXXXX", cs_cpu_options()->cache);
  if (length <= 0 || (size_t)length >= sizeof temporary)
    return;
  make_folders(cs_cpu_options()->cache);
  make_room(all);
  int fd = mkostemp(temporary, O_CLOEXEC);
  FILE *file = fd < 0 ? NULL : fdopen(fd, "wb");
  if (!file) {
    if (fd >= 0) {
      close(fd);
      unlink(temporary);
    }
    return;
  }
  if (write_all(file, engine, spirv, bytes, binary, binary_bytes) || rename(temporary, path) != 0)
    unlink(temporary);
}
