/* read.c: opens files without blocking. */
#include "options/read.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATIENCE_MS = 2000 };

/* Whether the pipe has a writer, or had one: to open it does not wait, so reading would find its end at once. */
static int has_writer(int file) {
  struct pollfd pipe = {.fd = file, .events = POLLIN};
  return poll(&pipe, 1, PATIENCE_MS) > 0;
}

const char *cs_options_read_open(const char *path, FILE **file) {
  struct stat about;
  int opened = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  *file = NULL;
  if (opened < 0)
    return strerror(errno);
  if (fstat(opened, &about) == 0 && S_ISFIFO(about.st_mode) && !has_writer(opened)) {
    close(opened);
    errno = 0;
    return "it is a pipe, and nothing writes to it";
  }
  fcntl(opened, F_SETFL, fcntl(opened, F_GETFL) & ~O_NONBLOCK);
  *file = fdopen(opened, "r");
  if (*file)
    return NULL;
  int error = errno;
  close(opened);
  errno = error;
  return strerror(error);
}
