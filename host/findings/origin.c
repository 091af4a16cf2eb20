/* origin.c: the machine's name, and a random identifier of the run. */
#include "host/findings/origin.h"
#include <stdio.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

/* Without random bytes, the time and the process distinguish runs on one machine. */
static void fill_run(char *run, size_t room, const struct timespec *now) {
  cs_u64 bits;
  if (getrandom(&bits, sizeof bits, GRND_NONBLOCK) != (ssize_t)sizeof bits)
    bits = ((cs_u64)now->tv_sec << 32 ^ (cs_u64)now->tv_nsec) * 0x9e3779b97f4a7c15ull + (cs_u64)getpid();
  snprintf(run, room, "%016llx", bits);
}

const struct cs_report_origin *cs_host_origin(void) {
  static struct cs_report_origin origin;
  static char host[256], run[17];
  static pid_t process;
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  if (process != getpid()) {
    process = getpid();
    fill_run(run, sizeof run, &now);
    if (gethostname(host, sizeof host - 1))
      *host = 0;
  }
  origin = (struct cs_report_origin){
      .milliseconds = (cs_u64)now.tv_sec * 1000 + (cs_u64)now.tv_nsec / 1000000, .host = host, .run = run};
  return &origin;
}
