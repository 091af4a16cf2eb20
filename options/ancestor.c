/* ancestor.c: names as files in memory, which descendants find in /proc. */
#include "options/ancestor.h"
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define TITLE "cusafe-begun"

/* Away from the numbers that a program's next files get. */
enum { MIN_FILE = 200, MAX_ANCESTORS = 64 };

/* Whether the entry of a process's fd folder is a file with the name. */
static int holds(int folder, const char *entry, const char *name) {
  char target[64], text[PATH_MAX];
  ssize_t length = readlinkat(folder, entry, target, sizeof target - 1);
  target[length > 0 ? length : 0] = 0;
  if (strncmp(target, "/memfd:" TITLE, strlen("/memfd:" TITLE)) != 0)
    return 0;
  int file = openat(folder, entry, O_RDONLY | O_CLOEXEC);
  length = file >= 0 ? pread(file, text, sizeof text, 0) : -1;
  if (file >= 0)
    close(file);
  return length == (ssize_t)strlen(name) && memcmp(text, name, (size_t)length) == 0;
}

static int has_left(pid_t process, const char *name) {
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd", (int)process);
  DIR *folder = opendir(path);
  int number = folder ? dirfd(folder) : -1, found = 0;
  for (struct dirent *entry; number >= 0 && !found && (entry = readdir(folder));)
    found = holds(number, entry->d_name, name);
  if (folder)
    closedir(folder);
  return found;
}

/* 0 if there is none. The name of a program may contain spaces and parentheses. */
static pid_t parent_of(pid_t process) {
  char path[64], text[512] = "", state;
  int parent = 0;
  snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
  FILE *file = fopen(path, "re");
  size_t length = file ? fread(text, 1, sizeof text - 1, file) : 0;
  if (file)
    fclose(file);
  text[length] = 0;
  const char *end = strrchr(text, ')');
  return end && sscanf(end + 1, " %c %d", &state, &parent) == 2 ? parent : 0;
}

void cs_options_leave_name(const char *name) {
  if (has_left(getpid(), name))
    return;
  int first = memfd_create(TITLE, MFD_CLOEXEC), file = first < 0 ? -1 : fcntl(first, F_DUPFD_CLOEXEC, MIN_FILE);
  if (file >= 0)
    close(first);
  else
    file = first;
  if (file >= 0 && write(file, name, strlen(name)) != (ssize_t)strlen(name))
    close(file);
}

int cs_options_find_name(const char *name) {
  pid_t process = getpid();
  for (int i = 0; i < MAX_ANCESTORS && process > 0; i++, process = parent_of(process))
    if (has_left(process, name))
      return 1;
  return 0;
}
