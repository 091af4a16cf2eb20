/* tempdir.c: creates and removes the temporary folder. */
#include "cli/base/tempdir.h"
#include "cli/base/message.h"
#include "report/print.h"
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[PATH_MAX];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}

static void remove_folder(void) {
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* nftw may not be called in a signal handler; fork and execve may. The handler is gone when it starts: SA_RESETHAND. */
static void remove_and_die(int number) {
  if (fork() == 0) {
    execl("/bin/rm", "rm", "-rf", folder, (char *)NULL);
    _exit(1);
  }
  raise(number);
}

static void remove_at_signal(int number) {
  struct sigaction before, act = {.sa_handler = remove_and_die, .sa_flags = (int)SA_RESETHAND};
  if (sigaction(number, NULL, &before) == 0 && before.sa_handler == SIG_DFL)
    sigaction(number, &act, NULL);
}

static int make(const char *base) {
  const char *temp = getenv("TMPDIR");
  if (!base)
    base = temp && *temp ? temp : "/tmp";
  snprintf(folder, sizeof folder, "%s/cusafe-XXXXXX", base);
  if (mkdtemp(folder))
    return 0;
  cs_cli_fail("cannot create the temporary folder %s: %s.", folder, strerror(errno));
  *folder = 0;
  return -1;
}

const char *cs_cli_tempdir(void) {
  if (*folder)
    return folder;
  if (make(NULL) != 0)
    return NULL;
  atexit(remove_folder);
  remove_at_signal(SIGHUP);
  remove_at_signal(SIGINT);
  remove_at_signal(SIGTERM);
  return folder;
}

const char *cs_cli_kept_tempdir(const char *base) {
  if (make(base) != 0)
    return NULL;
  cs_report_print(stderr, "cusafe: keeping intermediate files in %s\n", folder);
  return folder;
}
