/* cache_test.c: compiled modules on disk: found when compiler and input match and the file is ours and whole, and never
 * otherwise. */
#include "jit/cache.h"
#include "jit/settings.h"
#include "jit/trust.h"
#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static struct cs_jit_cache_settings settings;
const struct cs_jit_cache_settings *cs_jit_cache_settings(void) {
  return &settings;
}

static int files(void) {
  DIR *folder = opendir(settings.folder);
  int count = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    count += entry->d_name[0] != '.';
  if (folder)
    closedir(folder);
  return count;
}

static void expect(const char *compiler, const char *input, const char *binary) {
  size_t bytes = 0;
  char *found = cs_jit_cache_find(compiler, input, strlen(input), &bytes);
  if (!binary) {
    assert_null(found);
    return;
  }
  assert_non_null(found);
  assert_int_equal(bytes, strlen(binary));
  assert_memory_equal(found, binary, bytes);
  free(found);
}

static void keep(const char *compiler, const char *input, const char *binary) {
  cs_jit_cache_keep(compiler, input, strlen(input), binary, strlen(binary));
}

static void finds_kept_modules(void **state) {
  (void)state;
  expect("engine", "module", NULL);
  keep("engine", "module", "code");
  keep("compiler 2", "module", "other code");
  expect("engine", "module", "code");
  expect("compiler 2", "module", "other code");
  expect("compiler 3", "module", NULL);
  expect("engine", "modulf", NULL);
  keep("engine", "module", "better code");
  expect("engine", "module", "better code");
  struct stat status;
  assert_int_equal(stat(settings.folder, &status), 0);
  assert_int_equal(status.st_mode & 077, 0);
}

static char path[sizeof settings.folder + 256];

/* Keeps a module, and sets path to its file. */
static void keep_one(void) {
  keep("engine", "module", "code");
  assert_int_equal(files(), 1);
  DIR *folder = opendir(settings.folder);
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.')
      snprintf(path, sizeof path, "%s/%s", settings.folder, entry->d_name);
  closedir(folder);
  expect("engine", "module", "code");
}

/* What is refused is written again, and is good then. */
static void expect_refused(void) {
  expect("engine", "module", NULL);
  keep("engine", "module", "code");
  assert_int_equal(files(), 1);
  expect("engine", "module", "code");
}

static void refuses_every_damaged_byte(void **state) {
  (void)state;
  keep_one();
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  for (long i = 0; i < status.st_size; i++)
    for (int bit = 0; bit < 8; bit++) {
      FILE *file = fopen(path, "r+b");
      fseek(file, i, SEEK_SET);
      int byte = fgetc(file) ^ 1 << bit;
      fseek(file, i, SEEK_SET);
      fputc(byte, file);
      fclose(file);
      expect_refused();
    }
}

static void refuses_every_other_length(void **state) {
  (void)state;
  keep_one();
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  for (long i = 0; i <= status.st_size + 8; i++)
    if (i != status.st_size) {
      assert_int_equal(truncate(path, i), 0);
      expect_refused();
    }
}

static void refuses_what_others_can_write(void **state) {
  (void)state;
  keep_one();
  assert_int_equal(chmod(path, 0620), 0);
  expect_refused();
  assert_int_equal(chmod(path, 0602), 0);
  expect_refused();
  if (geteuid() == 0) { /* only root can give files away */
    assert_int_equal(chown(path, 65534, 65534), 0);
    expect_refused();
  }
  for (mode_t mode = 0720; mode; mode = mode == 0720 ? 0702 : 0) {
    assert_int_equal(chmod(settings.folder, mode), 0);
    expect("engine", "module", NULL);
    keep("engine", "another", "code"); /* is not written either */
    assert_int_equal(files(), 1);
  }
  assert_int_equal(chmod(settings.folder, 0700), 0);
  expect("engine", "module", "code");
  if (geteuid() == 0) {
    assert_int_equal(chown(settings.folder, 65534, 65534), 0);
    expect("engine", "module", NULL);
    keep("engine", "another", "code");
    assert_int_equal(files(), 1);
    assert_int_equal(chown(settings.folder, 0, 0), 0);
  }
}

/* The target is a good file of our own: only the link is wrong. */
static void refuses_links_and_pipes(void **state) {
  (void)state;
  char moved[sizeof path + 8];
  keep_one();
  snprintf(moved, sizeof moved, "%s/../moved", settings.folder);
  assert_int_equal(rename(path, moved), 0);
  assert_int_equal(symlink(moved, path), 0);
  expect_refused();
  struct stat status;
  assert_int_equal(lstat(path, &status), 0);
  assert_true(S_ISREG(status.st_mode));
  assert_int_equal(unlink(path), 0);
  assert_int_equal(mkfifo(path, 0600), 0);
  expect_refused();
}

static void removes_the_least_recently_used(void **state) {
  (void)state;
  settings.bytes = 120; /* of files of some 48 bytes */
  keep("engine", "first", "code");
  usleep(20000);
  keep("engine", "second", "code");
  usleep(20000);
  expect("engine", "first", "code");
  usleep(20000);
  keep("engine", "third", "code");
  expect("engine", "second", NULL);
  expect("engine", "first", "code");
  expect("engine", "third", "code");
  settings.bytes = 10;
  keep("engine", "fourth", "code");
  expect("engine", "fourth", NULL);
}

/* The user's files stay, and a folder does not stop the removal of files. */
static void removes_its_own_files_only(void **state) {
  (void)state;
  static const char *const names[] = {"notes.cusafe.txt", "my.cusafe", "0123456789abcdef.cusafe.old", "new-1.cusafe",
                                      "new-1-2-3.cusafe"};
  char name[sizeof settings.folder + 64];
  keep("engine", "first", "code"); /* makes the folder */
  snprintf(name, sizeof name, "%s/0123456789abcdef.cusafe", settings.folder);
  assert_int_equal(mkdir(name, 0700), 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "%s/%s", settings.folder, names[i]);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    fclose(file);
  }
  usleep(20000);
  settings.bytes = 120;
  keep("engine", "second", "code");
  usleep(20000);
  keep("engine", "third", "code");
  usleep(20000);
  keep("engine", "fourth", "code");
  expect("engine", "first", NULL);
  expect("engine", "fourth", "code");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    snprintf(name, sizeof name, "%s/%s", settings.folder, names[i]);
    assert_int_equal(access(name, F_OK), i < 4 ? 0 : -1);
  }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where) {
  (void)status, (void)type, (void)where;
  return remove(path);
}

/* A folder that root or this user has filled is read, and nothing is written there. /tmp is not such a folder: others can
 * write to it. */
static void shared_folders(void **state) {
  (void)state;
  static char own[sizeof settings.folder], why[PATH_MAX + 128];
  char cwd[PATH_MAX - 64], shared[PATH_MAX], file[sizeof path];
  strcpy(own, settings.folder);
  assert_non_null(getcwd(cwd, sizeof cwd));
  snprintf(shared, sizeof shared, "%s/shared-cache-%d/below", cwd, (int)getpid());
  strcpy(settings.folder, shared);
  settings.fills = 1;
  keep_one();
  settings.fills = 0;
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0644);
  strcpy(file, path);
  strcpy(settings.folder, own);
  expect("engine", "module", NULL);
  strcpy(settings.shared, shared);
  int folder = cs_jit_open_trusted(shared, why, sizeof why);
  if (folder >= 0) { /* the build folder is below folders that others cannot write to */
    close(folder);
    expect("engine", "module", "code");
    keep("engine", "another", "code");
    expect("engine", "another", "code");
    assert_int_equal(chmod(file, 0666), 0);
    expect("engine", "module", NULL);
    assert_int_equal(chmod(file, 0644), 0);
    *strrchr(shared, '/') = 0;
    assert_int_equal(chmod(shared, 0777), 0);
    expect("engine", "module", NULL);
    assert_int_equal(chmod(shared, 0755), 0);
    FILE *damage = fopen(file, "r+b");
    fseek(damage, -1, SEEK_END);
    fputc('x', damage);
    fclose(damage);
    expect("engine", "module", NULL);
  }
  assert_int_equal(cs_jit_open_trusted("/tmp", why, sizeof why), -1);
  assert_non_null(strstr(why, "'/tmp': other users can write to it"));
  assert_int_equal(cs_jit_open_trusted("/proc/self/cwd", why, sizeof why), -1);
  assert_non_null(strstr(why, "it is a link"));
  assert_int_equal(cs_jit_open_trusted("/usr/../tmp", why, sizeof why), -1);
  assert_non_null(strstr(why, "unusual part"));
  assert_int_equal(cs_jit_open_trusted("/usr/absent", why, sizeof why), -1);
  assert_string_equal(why, "");
  snprintf(shared, sizeof shared, "%s/shared-cache-%d", cwd, (int)getpid());
  assert_int_equal(nftw(shared, remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
  settings.shared[0] = 0;
}

static void can_be_disabled(void **state) {
  (void)state;
  settings.folder[0] = '\0';
  keep("engine", "module", "code");
  expect("engine", "module", NULL);
}

static char root[] = "/tmp/cusafe-cache-XXXXXX";

static int remove_all(void **state) {
  (void)state;
  return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int begin(void **state) {
  static int number;
  (void)state;
  if (number == 0 && !mkdtemp(root))
    return -1;
  snprintf(settings.folder, sizeof settings.folder, "%s/%d/deeper", root, number++);
  settings.bytes = 1 << 20;
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(finds_kept_modules, begin),
      cmocka_unit_test_setup(refuses_every_damaged_byte, begin),
      cmocka_unit_test_setup(refuses_every_other_length, begin),
      cmocka_unit_test_setup(refuses_what_others_can_write, begin),
      cmocka_unit_test_setup(refuses_links_and_pipes, begin),
      cmocka_unit_test_setup(removes_the_least_recently_used, begin),
      cmocka_unit_test_setup(removes_its_own_files_only, begin),
      cmocka_unit_test_setup(shared_folders, begin),
      cmocka_unit_test_setup(can_be_disabled, begin),
  };
  return cmocka_run_group_tests(tests, NULL, remove_all);
}
