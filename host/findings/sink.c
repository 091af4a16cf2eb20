/* sink.c: writes lines and parts of documents without blocking. */
#include "host/findings/sink.h"
#include "host/base/messages.h"
#include "options/socket.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void cs_host_sink_open(struct cs_host_sink *sink, const struct cs_format *format) {
  sink->format = format;
  sink->open = -1;
  sink->is_socket = cs_options_socket(sink->path) != NULL;
}

void cs_host_sink_lose(struct cs_host_sink *sink) {
  __atomic_add_fetch(&sink->lost_lines, 1, __ATOMIC_RELAXED);
}

/* ---- files and pipes ---- */

/* Whether a pipe's buffer takes the bytes as a whole. Other files do. A pipe consists of pages, which lines fill at
 * least by half. */
static int has_room(int file, size_t bytes) {
  enum { PAGE = 4096 };
  int size = fcntl(file, F_GETPIPE_SZ), used = 0;
  return size < 0 || (ioctl(file, FIONREAD, &used) == 0 && 2 * (size_t)used + bytes + 2 * PAGE <= (size_t)size);
}

/* A full disk takes part of a line. The next line must not follow it, unless another process has written since. */
static void remove_part(int file, ssize_t written) {
  struct stat about;
  off_t end = lseek(file, 0, SEEK_CUR);
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == end && ftruncate(file, end - written))
    cs_host_message_once(0, "part of a line remains in a report file");
}

/* A single write, so that lines of several processes do not mix. A pipe stays open, because closing it ends it for its
 * reader; what it has no room for is lost. */
static int add_line(struct cs_host_sink *s, const char *text, size_t bytes) {
  struct stat about;
  int file = s->open >= 0 ? s->open : open(s->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file >= 0 && s->open < 0 && fstat(file, &about) == 0 && S_ISFIFO(about.st_mode))
    s->open = file;
  ssize_t written = file >= 0 && has_room(file, bytes) ? write(file, text, bytes) : -1;
  if (written > 0 && (size_t)written < bytes)
    remove_part(file, written);
  if (file >= 0 && file != s->open)
    close(file);
  return written == (ssize_t)bytes ? 0 : -1;
}

/* ---- sockets ---- */

static int connect_socket(struct cs_host_sink *s) {
  char error[CS_OPTIONS_TEXT_MAX + 128];
  struct sockaddr_un address;
  if (cs_options_socket_address(cs_options_socket(s->path), &address, error, sizeof error))
    return -1;
  s->open = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  if (s->open < 0 || !connect(s->open, (const struct sockaddr *)&address, sizeof address))
    return s->open < 0 ? -1 : 0;
  close(s->open);
  s->open = -1;
  return -1;
}

/* A reader that restarts has another socket of the same name. */
static int send_once(struct cs_host_sink *s, const char *text, size_t bytes) {
  for (int attempt = 0; attempt < 2; attempt++) {
    if (s->open < 0 && connect_socket(s))
      return -1;
    if (send(s->open, text, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) == (ssize_t)bytes)
      return 0;
    if (errno == EAGAIN || errno == EMSGSIZE || errno == ENOBUFS)
      return -1;
    close(s->open);
    s->open = -1;
  }
  return -1;
}

/* The queue of a socket has room for a few datagrams, often ten: a reader gets some time, unless it has used it in
 * vain before. */
static int send_line(struct cs_host_sink *s, const char *text, size_t bytes) {
  enum { PATIENCE_MS = 500 };
  bytes -= bytes && text[bytes - 1] == '\n';
  int result = send_once(s, text, bytes);
  if (result && s->open >= 0 && errno == EAGAIN && !s->is_deaf) {
    struct pollfd writable = {.fd = s->open, .events = POLLOUT};
    poll(&writable, 1, PATIENCE_MS);
    result = send_once(s, text, bytes);
    s->is_deaf = result != 0;
  }
  s->is_deaf &= result != 0;
  return result;
}

/* ---- all ---- */

static int add(struct cs_host_sink *s, const char *text, size_t bytes) {
  if (s->is_socket)
    return send_line(s, text, bytes);
  return s->format->tail ? cs_document_add(s->path, s->format, text, bytes) : add_line(s, text, bytes);
}

/* Without the signals for a reader that is gone and for the limit of a file's size, which would end a program that does
 * not expect them. One that was pending before stays. */
static int add_quietly(struct cs_host_sink *s, const char *text, size_t bytes) {
  static const struct timespec now;
  sigset_t ours, before, pending;
  sigemptyset(&ours);
  sigaddset(&ours, SIGPIPE);
  sigaddset(&ours, SIGXFSZ);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &ours, &before);
  int result = add(s, text, bytes);
  for (int i = 0; i < 2; i++)
    if (sigismember(&pending, i ? SIGPIPE : SIGXFSZ))
      sigdelset(&ours, i ? SIGPIPE : SIGXFSZ);
  while (result && sigtimedwait(&ours, NULL, &now) > 0)
    ;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return result;
}

int cs_host_sink_add(struct cs_host_sink *s, const char *text, size_t bytes) {
  if (add_quietly(s, text, bytes) == 0)
    return 0;
  if (s->format->tail)
    cs_host_message_once(0, "cannot add to '%s': it was changed, removed, or the disk is full", s->path);
  else
    cs_host_message_once(0, "cannot write to '%s'", s->path);
  cs_host_sink_lose(s);
  return -1;
}
