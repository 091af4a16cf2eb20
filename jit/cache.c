/* cache.c: keeps compiled device modules in a folder of the user, and removes the least recently used ones first.
 *
 * A binary is executed, so only a file that this user wrote, whole and undamaged, is one: the folder and the file
 * belong to the user, nobody else can write to them, the file is no symbolic link, and its checksum matches. All access
 * is relative to the descriptor of the folder that was checked. What is not there may be in a shared folder, which is
 * only read: root may own it and its files, too, and every folder above it is checked. */
#include "jit/cache.h"
#include "jit/hash.h"
#include "jit/settings.h"
#include "jit/trust.h"
#include "report/print.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

struct header {
  char magic[8];
  uint64_t compiler, input, binary; /* bytes of each; the three follow in this order */
  uint64_t checksum;                /* of the three */
};
static const char magic[8] = "cusafe2";
#define SUFFIX ".cusafe"
#define MAX_BYTES ((size_t)1 << 30) /* of one binary */
enum { NAME_BYTES = 64 };

static void name_of(char name[NAME_BYTES], const char *compiler, const void *input, size_t bytes) {
  uint64_t hash = cs_jit_hash(cs_jit_hash(CS_JIT_HASH_START, compiler, strlen(compiler)), input, bytes);
  snprintf(name, NAME_BYTES, "%016llx" SUFFIX, (unsigned long long)hash);
}

static uint64_t checksum_of(const char *compiler, const void *input, size_t bytes, const void *binary,
                            size_t binary_bytes) {
  uint64_t sum = cs_jit_hash(cs_jit_hash(CS_JIT_HASH_START, compiler, strlen(compiler)), input, bytes);
  return cs_jit_hash(sum, binary, binary_bytes);
}

/* The folder's descriptor, or -1 if it does not exist or is not ours. */
static int open_folder(void) {
  static atomic_int printed;
  struct stat status;
  int folder = open(cs_jit_cache_settings()->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0)
    return -1;
  const char *reason = fstat(folder, &status) ? "it cannot be inspected" : cs_jit_untrusted(&status);
  if (!reason)
    return folder;
  close(folder);
  if (!atomic_exchange(&printed, 1))
    cs_report_print(stderr, "cusafe: the cache '%s' is not used: %s; set CUDA_CACHE_PATH to a folder of your own.\n",
                    cs_jit_cache_settings()->folder, reason);
  return -1;
}

static int open_shared(void) {
  static atomic_int printed;
  char why[PATH_MAX + 128];
  int folder = cs_jit_open_trusted(cs_jit_cache_settings()->shared, why, sizeof why);
  if (folder < 0 && *why && !atomic_exchange(&printed, 1))
    cs_report_print(stderr, "cusafe: the shared cache '%s' is not used: %s.\n", cs_jit_cache_settings()->shared, why);
  return folder;
}

/* Whose files are trusted. */
typedef const char *distrust(const struct stat *status);

/* O_NONBLOCK: the name may be a pipe's. */
static FILE *open_file(int folder, const char *name, distrust *untrusted, struct stat *status) {
  int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  FILE *stream = NULL;
  if (file >= 0 && fstat(file, status) == 0 && S_ISREG(status->st_mode) && !untrusted(status))
    stream = fdopen(file, "rb");
  if (file >= 0 && !stream)
    close(file);
  return stream;
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

/* The header, if the file is for this module and has the length that it states. */
static int read_header(FILE *file, off_t file_bytes, const char *compiler, const void *input, size_t bytes,
                       struct header *h) {
  if (fread(h, sizeof *h, 1, file) != 1 || memcmp(h->magic, magic, sizeof magic) != 0 ||
      h->compiler != strlen(compiler) || h->input != bytes || h->binary == 0 || h->binary > MAX_BYTES ||
      (uint64_t)file_bytes != sizeof *h + h->compiler + h->input + h->binary)
    return -1;
  return matches(file, compiler, strlen(compiler)) && matches(file, input, bytes) ? 0 : -1;
}

static void *read_binary(FILE *file, off_t file_bytes, const char *compiler, const void *input, size_t bytes,
                         size_t *binary_bytes) {
  struct header h;
  if (read_header(file, file_bytes, compiler, input, bytes, &h))
    return NULL;
  char *binary = malloc(h.binary + 1);
  *binary_bytes = h.binary;
  if (binary && fread(binary, 1, h.binary, file) == h.binary &&
      checksum_of(compiler, input, bytes, binary, h.binary) == h.checksum) {
    binary[h.binary] = 0;
    return binary;
  }
  free(binary);
  return NULL;
}

/* Closes the folder. */
static void *find_in(int folder, distrust *untrusted, const char *compiler, const void *input, size_t bytes,
                     size_t *binary_bytes) {
  char name[NAME_BYTES];
  struct stat status;
  name_of(name, compiler, input, bytes);
  FILE *file = open_file(folder, name, untrusted, &status);
  void *binary = file ? read_binary(file, status.st_size, compiler, input, bytes, binary_bytes) : NULL;
  if (binary)
    futimens(fileno(file), NULL); /* marks it as used now, if it is this user's */
  if (file)
    fclose(file);
  close(folder);
  return binary;
}

void *cs_jit_cache_find(const char *compiler, const void *input, size_t bytes, size_t *binary_bytes) {
  const struct cs_jit_cache_settings *s = cs_jit_cache_settings();
  void *binary = NULL;
  int folder = *s->folder ? open_folder() : -1;
  if (folder >= 0)
    binary = find_in(folder, cs_jit_untrusted, compiler, input, bytes, binary_bytes);
  int shared = !binary && *s->shared ? open_shared() : -1;
  if (shared >= 0)
    binary = find_in(shared, cs_jit_untrusted_by_root, compiler, input, bytes, binary_bytes);
  return binary;
}

/* Creates a folder and its parents. Only the user can write there, because the files are executed. */
static void make_folders(const char *path) {
  mode_t mode = cs_jit_cache_settings()->fills ? 0755 : 0700;
  char part[PATH_MAX];
  for (const char *end = strchr(path + 1, '/'); end; end = strchr(end + 1, '/')) {
    int length = snprintf(part, sizeof part, "%.*s", (int)(end - path), path);
    if (length <= 0 || (size_t)length >= sizeof part || (mkdir(part, mode) != 0 && errno != EEXIST))
      return;
  }
  mkdir(path, mode);
}

struct kept {
  char name[NAME_MAX + 1];
  struct timespec used;
};

static int is_older(const struct timespec *a, const struct timespec *b) {
  return a->tv_sec < b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec < b->tv_nsec);
}

/* Whether the cache gives files this name: that of name_of(), or of a file that is being written. Other files in the
 * folder are the user's. */
static int is_name_of_cache(const char *name) {
  int kept = 0, temporary = 0;
  size_t length = strlen(name);
  sscanf(name, "%*16[0-9a-f]" SUFFIX "%n", &kept);
  sscanf(name, "new-%*[0-9]-%*[0-9]-%*[0-9]" SUFFIX "%n", &temporary);
  return (length == 16 + sizeof SUFFIX - 1 && (size_t)kept == length) || (length && (size_t)temporary == length);
}

/* The least recently used file, and the bytes of all files. */
static off_t survey(int folder, struct kept *oldest) {
  off_t total = 0;
  oldest->name[0] = '\0';
  int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *list = again < 0 ? NULL : fdopendir(again);
  if (again >= 0 && !list)
    close(again);
  for (struct dirent *entry; list && (entry = readdir(list));) {
    struct stat status;
    if (!is_name_of_cache(entry->d_name) || fstatat(folder, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 ||
        !S_ISREG(status.st_mode))
      continue;
    total += status.st_size;
    if (!oldest->name[0] || is_older(&status.st_mtim, &oldest->used)) {
      snprintf(oldest->name, sizeof oldest->name, "%s", entry->d_name);
      oldest->used = status.st_mtim;
    }
  }
  if (list)
    closedir(list);
  return total;
}

static void make_room(int folder, size_t bytes) {
  struct kept oldest;
  while ((size_t)survey(folder, &oldest) + bytes > cs_jit_cache_settings()->bytes && oldest.name[0])
    if (unlinkat(folder, oldest.name, 0) != 0 && errno != ENOENT)
      return;
}

static int write_all(int fd, const char *compiler, const void *input, size_t bytes, const void *binary,
                     size_t binary_bytes) {
  struct header h = {.compiler = strlen(compiler), .input = bytes, .binary = binary_bytes};
  FILE *file = fdopen(fd, "wb");
  if (!file) {
    close(fd);
    return -1;
  }
  memcpy(h.magic, magic, sizeof magic);
  h.checksum = checksum_of(compiler, input, bytes, binary, binary_bytes);
  int written = fwrite(&h, sizeof h, 1, file) == 1 && fwrite(compiler, 1, h.compiler, file) == h.compiler &&
                fwrite(input, 1, bytes, file) == bytes && fwrite(binary, 1, binary_bytes, file) == binary_bytes;
  return fclose(file) == 0 && written ? 0 : -1;
}

/* Writes under another name first, so that readers find a whole file or none. The name ends in SUFFIX, so that what an
 * ended process has left behind is removed some day. */
void cs_jit_cache_keep(const char *compiler, const void *input, size_t bytes, const void *binary, size_t binary_bytes) {
  static atomic_uint number;
  struct timespec now;
  char name[NAME_BYTES], temporary[NAME_BYTES];
  size_t all = sizeof(struct header) + strlen(compiler) + bytes + binary_bytes;
  if (!*cs_jit_cache_settings()->folder || all > cs_jit_cache_settings()->bytes || binary_bytes > MAX_BYTES)
    return;
  make_folders(cs_jit_cache_settings()->folder);
  int folder = open_folder();
  if (folder < 0)
    return;
  make_room(folder, all);
  name_of(name, compiler, input, bytes);
  clock_gettime(CLOCK_MONOTONIC, &now); /* process numbers repeat in containers */
  snprintf(temporary, sizeof temporary, "new-%d-%u-%ld" SUFFIX, (int)getpid(), atomic_fetch_add(&number, 1),
           now.tv_nsec);
  int fd = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd >= 0 && cs_jit_cache_settings()->fills)
    (void)!fchmod(fd, 0644); /* otherwise others compile */
  if (fd >= 0 &&
      (write_all(fd, compiler, input, bytes, binary, binary_bytes) || renameat(folder, temporary, folder, name) != 0))
    unlinkat(folder, temporary, 0);
  close(folder);
}
