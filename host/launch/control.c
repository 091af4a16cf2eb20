/* control.c: reads `off`, `on` or `sample=P` from the file of the option control. A file that is not there, that others
 * could have written or that has anything else changes nothing. */
#include "host/launch/control.h"
#include "host/base/messages.h"
#include "host/launch/sample.h"
#include "jit/trust.h"
#include "options/process.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* Longer files have no valid line. O_NONBLOCK: the name may be a pipe's. Returns 0, or -1 without
 * a file that counts. */
static int read_file(char *line, size_t room) {
  struct stat status;
  const char *path = cs_options()->control;
  int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
  if (file < 0) {
    if (errno != ENOENT)
      cs_host_message_once(0, "control: cannot read '%s': %s", path, strerror(errno));
    return -1;
  }
  const char *reason = fstat(file, &status)       ? "it cannot be inspected"
                       : !S_ISREG(status.st_mode) ? "it is not a file"
                                                  : cs_jit_untrusted_by_root(&status);
  ssize_t bytes = reason ? -1 : read(file, line, room - 1);
  close(file);
  if (reason)
    cs_host_message_once(0, "control: '%s' is not used: %s", path, reason);
  if (bytes < 0)
    return -1;
  line[bytes] = 0;
  return 0;
}

/* Returns 0, or -1 for a line that means nothing. */
static int obey(const char *line) {
  static struct cs_options o; /* large for a stack */
  char error[256];
  if (strcmp(line, "off") == 0)
    cs_host_sample_set(0, 0);
  else if (strcmp(line, "on") == 0)
    cs_host_sample_set(cs_options()->sample, cs_options()->sample_first);
  else if (strncmp(line, "sample=", 7) == 0 && !cs_options_set(&o, "sample", line + 7, error, sizeof error))
    cs_host_sample_set(o.sample, cs_options()->sample_first);
  else
    return -1;
  return 0;
}

void cs_host_control_read(void) {
  static char last[64];
  char line[sizeof last];
  if (!*cs_options()->control || read_file(line, sizeof line))
    return;
  line[strcspn(line, "\r\n")] = 0;
  if (!*line || strcmp(line, last) == 0) /* empty: it is being written */
    return;
  strcpy(last, line);
  if (obey(line))
    cs_host_message(0, "control: '%s' has a line that is not off, on or sample=P", cs_options()->control);
  else
    cs_host_message(1, "control: %s", line);
}
