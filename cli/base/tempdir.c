/* tempdir.c: creates and removes the temporary folder. */
#include "cli/base/tempdir.h"
#include "cli/base/message.h"
#include "report/print.h"
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char folder[PATH_MAX];

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)status, (void)kind, (void)where;
  return remove(path);
}

static void remove_folder(void) {
  nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *cs_cli_tempdir(int keep) {
  if (*folder)
    return folder;
  const char *base = getenv("TMPDIR");
  snprintf(folder, sizeof folder, "%s/cusafe-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(folder)) {
    cs_cli_fail("cannot create the temporary folder %s: %s.", folder, strerror(errno));
    *folder = 0;
    return NULL;
  }
  if (keep)
    cs_report_print(stderr, "cusafe: keeping intermediate files in %s\n", folder);
  else
    atexit(remove_folder);
  return folder;
}
