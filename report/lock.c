/* lock.c: file locks with a limit on the time that the process waits for all of them. */
#include "report/lock.h"
#include <errno.h>
#include <sys/file.h>
#include <time.h>

enum { PAUSE_MS = 5, PAUSES_MAX = 1000 };

int cs_report_lock_file(int file) {
  static int pauses;
  const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
  int result;
  while ((result = flock(file, LOCK_EX | LOCK_NB)) && (errno == EWOULDBLOCK || errno == EINTR) &&
         __atomic_fetch_add(&pauses, 1, __ATOMIC_RELAXED) < PAUSES_MAX)
    nanosleep(&pause, 0);
  return result;
}
