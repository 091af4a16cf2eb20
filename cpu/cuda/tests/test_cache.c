/* test_cache.c: compiled modules on disk: found when engine and SPIR-V match and the file is ours and whole, and never otherwise. */
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/engine/cache.h"
#include "cpu/cuda/tests/support.h"
#include <dirent.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct cs_cpu_options options;
const struct cs_cpu_options *cs_cpu_options(void) {
  return &options;
}

static int files(void) {
  DIR *folder = opendir(options.cache);
  int count = 0;
  for (struct dirent *entry; folder && (entry = readdir(folder));)
    count += entry->d_name[0] != '.';
  if (folder)
    closedir(folder);
  return count;
}

static void expect(const char *engine, const char *spirv, const char *binary) {
  size_t bytes = 0;
  char *found = cs_cpu_cache_find(engine, spirv, strlen(spirv), &bytes);
  if (!binary) {
    assert_null(found);
    return;
  }
  assert_non_null(found);
  assert_int_equal(bytes, strlen(binary));
  assert_memory_equal(found, binary, bytes);
  free(found);
}

static void keep(const char *engine, const char *spirv, const char *binary) {
  cs_cpu_cache_keep(engine, spirv, strlen(spirv), binary, strlen(binary));
}

static void finds_kept_modules(void **state) {
  (void)state;
  expect("engine", "module", NULL);
  keep("engine", "module", "code");
  keep("engine 2", "module", "other code");
  expect("engine", "module", "code");
  expect("engine 2", "module", "other code");
  expect("engine 3", "module", NULL);
  expect("engine", "modulf", NULL);
  keep("engine", "module", "better code");
  expect("engine", "module", "better code");
  struct stat status;
  assert_int_equal(stat(options.cache, &status), 0);
  assert_int_equal(status.st_mode & 077, 0);
}

static char path[sizeof options.cache + 256];

/* Keeps a module, and sets path to its file. */
static void keep_one(void) {
  keep("engine", "module", "code");
  assert_int_equal(files(), 1);
  DIR *folder = opendir(options.cache);
  for (struct dirent *entry; (entry = readdir(folder));)
    if (entry->d_name[0] != '.')
      snprintf(path, sizeof path, "%s/%s", options.cache, entry->d_name);
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
    assert_int_equal(chmod(options.cache, mode), 0);
    expect("engine", "module", NULL);
    keep("engine", "another", "code"); /* is not written either */
    assert_int_equal(files(), 1);
  }
  assert_int_equal(chmod(options.cache, 0700), 0);
  expect("engine", "module", "code");
  if (geteuid() == 0) {
    assert_int_equal(chown(options.cache, 65534, 65534), 0);
    expect("engine", "module", NULL);
    keep("engine", "another", "code");
    assert_int_equal(files(), 1);
    assert_int_equal(chown(options.cache, 0, 0), 0);
  }
}

/* The target is a good file of our own: only the link is wrong. */
static void refuses_links_and_pipes(void **state) {
  (void)state;
  char moved[sizeof path + 8];
  keep_one();
  snprintf(moved, sizeof moved, "%s/../moved", options.cache);
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
  options.cache_bytes = 120; /* of files of some 48 bytes */
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
  options.cache_bytes = 10;
  keep("engine", "fourth", "code");
  expect("engine", "fourth", NULL);
}

static void can_be_disabled(void **state) {
  (void)state;
  options.cache[0] = '\0';
  keep("engine", "module", "code");
  expect("engine", "module", NULL);
}

static char root[] = "/tmp/cusafe-cache-XXXXXX";

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where) {
  (void)status, (void)type, (void)where;
  return remove(path);
}

static int remove_all(void **state) {
  (void)state;
  return nftw(root, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int begin(void **state) {
  static int number;
  (void)state;
  if (number == 0 && !mkdtemp(root))
    return -1;
  snprintf(options.cache, sizeof options.cache, "%s/%d/deeper", root, number++);
  options.cache_bytes = 1 << 20;
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
      cmocka_unit_test_setup(can_be_disabled, begin),
  };
  return cmocka_run_group_tests(tests, NULL, remove_all);
}
