/* debugger.c: stops the process in a debugger at its first finding. */
#include "host/base/debugger.h"
#include "host/base/messages.h"
#include "options/process.h"
#include <dirent.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* A function for breakpoints: called after every report. */
void cusafe_on_error(void);
__attribute__((visibility("default"), noinline)) void cusafe_on_error(void) {
  __asm__ volatile("");
}

/* A trap instruction, because this thread may block SIGTRAP; it cannot block a trap. */
static void trap(void) {
#if defined(__x86_64__)
  __asm__ volatile("int3");
#else
  raise(SIGTRAP);
#endif
}

static int thread_is_traced(const char *thread) {
  char path[64], line[256];
  int traced = 1; /* a thread that has ended */
  snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
  FILE *status = fopen(path, "re");
  while (status && fgets(line, sizeof line, status))
    if (strncmp(line, "TracerPid:", 10) == 0)
      traced = atoi(line + 10) != 0;
  if (status)
    fclose(status);
  return traced;
}

/* A debugger attaches to one thread after the other. A trap in a thread that it has not reached ends the process. */
static int is_traced(void) {
  DIR *threads = opendir("/proc/self/task");
  struct dirent *thread;
  int traced = threads != NULL;
  while (traced && (thread = readdir(threads)))
    traced = thread->d_name[0] == '.' || thread_is_traced(thread->d_name);
  if (threads)
    closedir(threads);
  return traced;
}

static void wait_for_debugger(void) {
  const struct timespec pause = {.tv_nsec = 100000000L};
  cs_host_message(0, "process %d is waiting for a debugger (debugger=1): run gdb -p %d, then `continue`", (int)getpid(),
                  (int)getpid());
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0); /* lets any process of this user attach where only parents may */
  while (!is_traced())
    nanosleep(&pause, NULL);
}

static int stopped, leave_to_kernel, left_to_kernel;

int cs_host_debugger_expected(void) {
  return cs_options()->debugger && !__atomic_load_n(&stopped, __ATOMIC_RELAXED);
}

void cs_host_debugger_leave_to_kernel(int leave) {
  leave_to_kernel = leave;
}

int cs_host_debugger_left_to_kernel(void) {
  int left = left_to_kernel;
  left_to_kernel = 0;
  return left;
}

void cs_host_debugger_stop(void) {
  cusafe_on_error();
  if (!cs_options()->debugger || __atomic_exchange_n(&stopped, 1, __ATOMIC_RELAXED))
    return;
  fflush(cs_host_out());
  if (!is_traced())
    wait_for_debugger();
  left_to_kernel = leave_to_kernel;
  if (!leave_to_kernel)
    trap();
}
