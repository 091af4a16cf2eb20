/* trust.c: owners and modes. */
#include "jit/trust.h"
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
