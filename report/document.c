/* document.c: files with a head and a tail, between which findings are appended. */
#include "report/format.h"
#include "report/lock.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int write_all(int file, const char *bytes, size_t count, off_t at) {
  while (count) {
    ssize_t written = pwrite(file, bytes, count, at);
    if (written < 0 && errno != EINTR)
      return -1;
    size_t done = written < 0 ? 0 : (size_t)written;
    bytes += done;
    count -= done;
    at += (off_t)done;
  }
  return 0;
}

static int write_empty(int file, const struct cs_format *d) {
  char *text = NULL;
  size_t bytes = 0;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return -1;
  d->head(out);
  fputs(d->tail, out);
  int failed = fclose(out) || ftruncate(file, 0) || write_all(file, text, bytes, 0);
  free(text);
  return failed ? -1 : 0;
}

/* The offset of the tail; -1 if the file does not end with it. */
static off_t find_tail(int file, const struct cs_format *d) {
  struct stat status;
  char end[64];
  size_t length = strlen(d->tail);
  if (fstat(file, &status) || status.st_size < (off_t)length || length > sizeof end)
    return -1;
  off_t at = status.st_size - (off_t)length;
  return pread(file, end, length, at) == (ssize_t)length && memcmp(end, d->tail, length) == 0 ? at : -1;
}

/* Only regular files: a pipe has no tail to overwrite. */
static int open_locked(const char *path, int flags) {
  struct stat status;
  int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | flags, 0666);
  if (file < 0)
    return -1;
  int is_file = fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  if (is_file && cs_report_lock_file(file) == 0)
    return file;
  int error = is_file ? errno : EINVAL;
  close(file);
  errno = error;
  return -1;
}

int cs_document_begin(const char *path, const struct cs_format *d, int append, char *error, size_t error_size) {
  struct stat status;
  int file = open_locked(path, O_CREAT);
  if (file < 0) {
    snprintf(error, error_size, "cannot write to '%s': %s", path, errno == EINVAL ? "not a file" : strerror(errno));
    return -1;
  }
  int has_content = fstat(file, &status) == 0 && status.st_size > 0;
  int result = 0;
  if (append && has_content && find_tail(file, d) < 0) {
    snprintf(error, error_size, "cannot append to '%s': it is not a complete CuSafe report; remove it", path);
    result = -1;
  } else if (!(append && has_content) && write_empty(file, d)) {
    snprintf(error, error_size, "cannot write to '%s': %s", path, strerror(errno));
    result = -1;
  }
  close(file);
  return result;
}

/* The separator goes between findings, not after the head, which ends with an opening bracket. */
static int follows_head(int file, off_t at) {
  char last[2] = "";
  return at >= 2 && pread(file, last, 2, at - 2) == 2 && memcmp(last, "[\n", 2) == 0;
}

static void restore_tail(int file, const struct cs_format *d, off_t at) {
  int error = errno;
  off_t end = at + (off_t)strlen(d->tail);
  if (write_all(file, d->tail, strlen(d->tail), at) == 0 && ftruncate(file, end) == 0)
    errno = error;
}

int cs_document_add(const char *path, const struct cs_format *d, const char *text, size_t bytes) {
  int file = open_locked(path, 0);
  if (file < 0)
    return -1;
  off_t at = find_tail(file, d);
  size_t separator = at < 0 || follows_head(file, at) ? 0 : strlen(d->separator), tail = strlen(d->tail);
  char *all = at < 0 ? NULL : malloc(separator + bytes + tail);
  int result = -1;
  if (all) {
    memcpy(all, d->separator, separator);
    memcpy(all + separator, text, bytes);
    memcpy(all + separator + bytes, d->tail, tail);
    result = write_all(file, all, separator + bytes + tail, at);
    if (result) /* the disk is full, halfway: the space of the tail is still there */
      restore_tail(file, d, at);
  }
  free(all);
  close(file);
  return result;
}
