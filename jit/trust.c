/* trust.c: owners and modes. */
#include "jit/trust.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char *check(const struct stat *status, int is_owned) {
  if (!is_owned)
    return "it belongs to another user";
  return status->st_mode & (S_IWGRP | S_IWOTH) ? "other users can write to it" : 0;
}

const char *cs_jit_untrusted(const struct stat *status) {
  return check(status, status->st_uid == geteuid());
}

const char *cs_jit_untrusted_by_root(const struct stat *status) {
  return check(status, status->st_uid == 0 || status->st_uid == geteuid());
}

/* The next part of the path below `above`, which is closed. used: bytes of the path that name it. */
static int open_below(int above, const char *part, const char *path, size_t used, char *why, size_t room) {
  struct stat status;
  int next = openat(above, part, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), error = errno;
  close(above);
  if (next < 0 && error == ENOENT)
    return -1;
  const char *reason = next < 0
                           ? (error == ENOTDIR || error == ELOOP ? "it is a link, or not a folder" : strerror(error))
                       : fstat(next, &status) ? "it cannot be inspected"
                                              : cs_jit_untrusted_by_root(&status);
  if (!reason)
    return next;
  snprintf(why, room, "'%.*s': %s", (int)used, path, reason);
  if (next >= 0)
    close(next);
  return -1;
}

int cs_jit_open_trusted(const char *path, char *why, size_t room) {
  char part[NAME_MAX + 1];
  struct stat status;
  int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  *why = 0;
  if (folder < 0 || fstat(folder, &status) || cs_jit_untrusted_by_root(&status))
    snprintf(why, room, "other users can write to '/'");
  for (const char *p = path; folder >= 0 && !*why;) {
    p += strspn(p, "/");
    size_t length = strcspn(p, "/");
    if (!length)
      return folder;
    if (length > NAME_MAX || strncmp(p, "..", length > 2 ? length : 2) == 0) {
      snprintf(why, room, "it has an unusual part, '%.*s'", (int)(length > 40 ? 40 : length), p);
      break;
    }
    snprintf(part, sizeof part, "%.*s", (int)length, p);
    p += length;
    folder = open_below(folder, part, path, (size_t)(p - path), why, room);
  }
  if (folder >= 0)
    close(folder);
  return -1;
}
