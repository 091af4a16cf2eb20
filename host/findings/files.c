/* files.c: appends findings, and the totals of the run, to the report files. */
#include "host/findings/files.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/findings/origin.h"
#include "options/process.h"
#include "options/validate.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct file {
  const struct cs_format *format;
  char path[CS_OPTIONS_TEXT_MAX + 64];
  int pipe;          /* open, if the file is one; otherwise -1 */
  cs_u64 lost_lines; /* could not be written */
} files[CS_FORMAT_COUNT];
static size_t file_count;

/* Reports for people name files relative to the working directory. Compilers record the full path of host files, but
 * for device files the path on the command line. */
static const char *here(void) {
  static char folder[PATH_MAX + 1];
  if (!*folder && getcwd(folder, PATH_MAX))
    strcat(folder, "/");
  return *folder ? folder : NULL;
}

struct cs_text_options cs_host_text_options(int is_relative) {
  const char *prefix = cs_options()->strip_path_prefix;
  return (struct cs_text_options){.strip_path_prefix = *prefix       ? prefix
                                                       : is_relative ? here()
                                                                     : NULL,
                                  .pid = (int)getpid(),
                                  .origin = cs_host_origin(),
                                  .all_frames = cs_options()->verbosity > 0,
                                  .samples = cs_options_samples(cs_options())};
}

void cs_host_expand_path(const char *name, const char *option, char *path, size_t room) {
  if (cs_options_path(option, path, room))
    cs_options_die("%s: the path is too long", name);
}

static void open_file(const char *name, const char *option) {
  struct file *file = &files[file_count];
  if (!*option)
    return;
  file->format = cs_format(name);
  file->pipe = -1;
  cs_host_expand_path(name, option, file->path, sizeof file->path);
  file_count++;
}

void cs_host_files_open(void) {
  const struct cs_options *o = cs_options();
#define CS_OPTIONS_FILE(name, kind)                                                                                    \
  if (CS_OPTIONS_FILE_##kind == CS_OPTIONS_FILE_BEGUN)                                                                 \
    open_file(#name, o->name);
#include "options/files.inc"
}

/* ---- lines ---- */

/* Whether a pipe's buffer takes the bytes as a whole. Other files do. A pipe consists of pages, which lines fill at
 * least by half. */
static int has_room(int file, size_t bytes) {
  enum { PAGE = 4096 };
  int size = fcntl(file, F_GETPIPE_SZ), used = 0;
  return size < 0 || (ioctl(file, FIONREAD, &used) == 0 && 2 * (size_t)used + bytes + 2 * PAGE <= (size_t)size);
}

/* Without a SIGPIPE for a reader that is gone: a program that does not expect it would end. */
static ssize_t write_quietly(int file, const char *text, size_t bytes) {
  static const struct timespec now;
  sigset_t pipe, before, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  ssize_t written = write(file, text, bytes);
  int error = errno;
  if (written < 0 && error == EPIPE && !sigismember(&pending, SIGPIPE))
    sigtimedwait(&pipe, NULL, &now);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return written;
}

/* A full disk takes part of a line. The next line must not follow it, unless another process has written since. */
static void remove_part(int file, ssize_t written) {
  struct stat about;
  off_t end = lseek(file, 0, SEEK_CUR);
  if (fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size == end && ftruncate(file, end - written))
    cs_host_message_once(0, "part of a line remains in a report file");
}

/* A single write, so that lines of several processes do not mix. A pipe stays open, because closing it ends it for its
 * reader; one without a reader, or whose reader is too slow, must not block the program: the line is lost, which is
 * counted. */
static int add_line(struct file *f, const char *text, size_t bytes) {
  struct stat about;
  int file = f->pipe >= 0 ? f->pipe : open(f->path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file >= 0 && f->pipe < 0 && fstat(file, &about) == 0 && S_ISFIFO(about.st_mode))
    f->pipe = file;
  ssize_t written = file >= 0 && has_room(file, bytes) ? write_quietly(file, text, bytes) : -1;
  if (written > 0 && (size_t)written < bytes)
    remove_part(file, written);
  if (file >= 0 && file != f->pipe)
    close(file);
  if (written == (ssize_t)bytes)
    return 0;
  cs_host_message_once(0, "cannot write to '%s'", f->path);
  f->lost_lines++;
  return -1;
}

/* ---- findings and runs ---- */

static void render(const struct cs_format *format, const struct cs_finding *finding, const struct cs_run *run,
                   FILE *out) {
  const struct cs_text_options options = cs_host_text_options(format->is_relative);
  if (finding)
    format->finding(finding, &options, out);
  else if (format->run)
    format->run(run, out);
}

static int add_to_document(const struct file *f, const char *text, size_t bytes) {
  if (cs_document_add(f->path, f->format, text, bytes) == 0)
    return 0;
  cs_host_message_once(0, "cannot add to '%s': it was changed, removed, or the disk is full", f->path);
  return -1;
}

/* Either a finding or the run. Returns 0, or -1 if it is lost. */
static int add(struct file *f, const struct cs_finding *finding, const struct cs_run *run) {
  char *text = NULL;
  size_t bytes = 0;
  int result = -1;
  FILE *out = open_memstream(&text, &bytes);
  if (!out)
    return -1;
  render(f->format, finding, run, out);
  if (fclose(out) == 0)
    result = !bytes ? 0 : f->format->tail ? add_to_document(f, text, bytes) : add_line(f, text, bytes);
  free(text);
  return result;
}

void cs_host_files_add(const struct cs_finding *finding) {
  for (size_t i = 0; i < file_count; i++)
    if (add(&files[i], finding, NULL))
      cs_host_degraded(CS_DEGRADED_OUTPUT);
}

void cs_host_files_end(const struct cs_run *run) {
  for (size_t i = 0; i < file_count; i++)
    add(&files[i], NULL, run);
  for (size_t i = 0; i < file_count; i++)
    if (files[i].lost_lines)
      cs_host_message(0, "%llu line%s could not be written to '%s'", files[i].lost_lines,
                      files[i].lost_lines == 1 ? "" : "s", files[i].path);
}
