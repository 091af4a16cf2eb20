/* lift.c: starts `cusafe lift`, and keeps what it makes in the cache of compiled modules. */
#include "jit/lift.h"
#include "cusafe/environment.h"
#include "jit/cache.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { KEY_BYTES = 512 };

/* Text begins with .version, after blanks and comments. */
int cs_jit_is_ptx(const void *data) {
  const char *at = data;
  for (;;) {
    at += strspn(at, " \t\r\n");
    const char *end = strncmp(at, "//", 2) == 0   ? strchr(at, '\n')
                      : strncmp(at, "/*", 2) == 0 ? strstr(at + 2, "*/")
                                                  : NULL;
    if (!end)
      return strncmp(at, ".version", 8) == 0;
    at = end + (*end == '*' ? 2 : 1);
  }
}

/* --- The command --- */

/* The folder of the library that this code is in: prefix/lib or prefix/lib/cusafe/cpu, where lib may be lib/MACHINE. */
static int find_folder(char folder[PATH_MAX]) {
  Dl_info self;
  if (!dladdr((void *)(uintptr_t)cs_jit_is_ptx, &self) || !realpath(self.dli_fname, folder))
    return -1;
  *strrchr(folder, '/') = 0;
  return 0;
}

/* bin/cusafe of the prefix, for programs that trust their environment: the command runs the compiler that it names. */
static int find_command(char path[PATH_MAX]) {
  static const char *const of_driver[] = {"/../../../bin/cusafe", "/../../../../bin/cusafe"};
  static const char *const of_library[] = {"/../bin/cusafe", "/../../bin/cusafe"};
  char folder[PATH_MAX];
  if (!cs_environment_is_trusted() || find_folder(folder))
    return -1;
  const char *below = strstr(folder, "/cusafe/cpu");
  const char *const *ways = below && !below[strlen("/cusafe/cpu")] ? of_driver : of_library;
  for (size_t i = 0; i < 2; i++)
    if (snprintf(path, PATH_MAX, "%s%s", folder, ways[i]) < PATH_MAX && access(path, X_OK) == 0)
      return 0;
  return -1;
}

int cs_jit_has_command(void) {
  char path[PATH_MAX];
  return find_command(path) == 0;
}

/* Without what `cusafe run` preloads into the program. */
static char **plain_environment(void) {
  size_t count = 0, kept = 0;
  while (environ[count])
    count++;
  char **made = calloc(count + 1, sizeof *made);
  for (size_t i = 0; made && i < count; i++)
    if (strncmp(environ[i], "LD_PRELOAD=", 11) != 0)
      made[kept++] = environ[i];
  return made;
}

/* A command that inherits an ignored SIGCHLD cannot wait for its own children, and one that inherits a closed standard
 * stream would write its messages to the next file that it opens. */
static int spawn(pid_t *child, char **argv, char **environment) {
  posix_spawnattr_t attributes;
  posix_spawn_file_actions_t actions;
  sigset_t reset;
  sigemptyset(&reset);
  sigaddset(&reset, SIGCHLD);
  if (posix_spawnattr_init(&attributes))
    return -1;
  if (posix_spawn_file_actions_init(&actions)) {
    posix_spawnattr_destroy(&attributes);
    return -1;
  }
  int error = posix_spawnattr_setsigdefault(&attributes, &reset) ||
              posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO && !error; stream++)
    if (fcntl(stream, F_GETFD) < 0)
      error = posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  error = error || posix_spawn(child, argv[0], &actions, &attributes, argv, environment);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return error ? -1 : 0;
}

static int run(char **argv) {
  char **environment = plain_environment();
  pid_t child;
  int status = -1;
  if (!environment || spawn(&child, argv, environment) != 0) {
    free(environment);
    return -1;
  }
  free(environment);
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return errno == ECHILD ? 0 : -1; /* the program ignores SIGCHLD, or has waited itself: the output shows */
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  int failed = !file || fputs(text, file) < 0;
  return (file && fclose(file)) || failed ? -1 : 0;
}

/* module.ptx; of several modules module-1.ptx, module-2.ptx, ... NULL without memory. */
static char *file_name(const char *folder, size_t number, size_t count) {
  char *name;
  int length =
      count > 1 ? asprintf(&name, "%s/module-%zu.ptx", folder, number + 1) : asprintf(&name, "%s/module.ptx", folder);
  return length < 0 ? NULL : name;
}

/* The file's bytes and a zero; NULL if it cannot be read. */
static void *read_whole(const char *path, size_t *bytes) {
  struct stat status;
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *data = fstat(fileno(file), &status) == 0 ? malloc((size_t)status.st_size + 1) : NULL;
  if (data) {
    *bytes = fread(data, 1, (size_t)status.st_size, file);
    data[*bytes] = 0;
  }
  if (data && *bytes != (size_t)status.st_size) {
    free(data);
    data = NULL;
  }
  fclose(file);
  return data;
}

static enum cs_jit_result lift_files(char *command, char **inputs, size_t count, char *output,
                                     const struct cs_jit_form *form, void **made, size_t *bytes) {
  char detect[128];
  int has_list = form->checked && *form->detect;
  snprintf(detect, sizeof detect, "--detect=%s", form->detect);
  char *words[] = {command,
                   "lift",
                   "-o",
                   output,
                   form->part ? "--part" : NULL,
                   form->checked ? NULL : "--bare",
                   has_list ? detect : NULL};
  char **argv = calloc(count + 1 + sizeof words / sizeof *words, sizeof *argv), **to = argv;
  if (!argv)
    return CS_JIT_NO_MEMORY;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++)
    if (words[i])
      *to++ = words[i];
  memcpy(to, inputs, count * sizeof *argv);
  int failed = run(argv);
  free(argv);
  if (failed)
    return CS_JIT_REFUSED;
  *made = read_whole(output, bytes);
  return *made ? CS_JIT_MADE : CS_JIT_NO_FILE;
}

/* The files are in a folder that only this user can read. */
static enum cs_jit_result lift_in(const char *folder, char *command, const char *const *ptx, size_t count,
                                  const struct cs_jit_form *form, void **made, size_t *bytes) {
  char output[PATH_MAX];
  char **inputs = calloc(count, sizeof *inputs);
  int failed = !inputs || snprintf(output, sizeof output, "%s/lifted.%s", folder, form->ending) >= PATH_MAX;
  for (size_t i = 0; i < count && !failed; i++)
    failed = !(inputs[i] = file_name(folder, i, count)) || write_text(inputs[i], ptx[i]);
  enum cs_jit_result result = failed ? CS_JIT_NO_FILE : lift_files(command, inputs, count, output, form, made, bytes);
  for (size_t i = 0; inputs && i < count && inputs[i]; i++) {
    unlink(inputs[i]);
    free(inputs[i]);
  }
  if (!failed)
    unlink(output);
  free(inputs);
  return result;
}

static enum cs_jit_result lift(const char *const *ptx, size_t count, const struct cs_jit_form *form, void **made,
                               size_t *bytes) {
  const char *temp = cs_environment("TMPDIR");
  char command[PATH_MAX], folder[PATH_MAX];
  if (find_command(command))
    return CS_JIT_NO_COMMAND;
  if (snprintf(folder, sizeof folder, "%s/cusafe-XXXXXX", temp && *temp ? temp : "/tmp") >= PATH_MAX ||
      !mkdtemp(folder))
    return CS_JIT_NO_FILE;
  enum cs_jit_result result = lift_in(folder, command, ptx, count, form, made, bytes);
  rmdir(folder);
  return result;
}

static int add_file(char key[KEY_BYTES], int length, const char *path) {
  struct stat status;
  if (length >= KEY_BYTES || stat(path, &status) != 0)
    return length;
  return length + snprintf(key + length, KEY_BYTES - (size_t)length, ", %lld %lld.%09ld", (long long)status.st_size,
                           (long long)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}

/* What other versions of the translators have made is not used: the key has their sizes and times. */
static void make_key(char key[KEY_BYTES], const struct cs_jit_form *form) {
  static const char *const parts[] = {"cusafe-lift",
                                      "cusafe-pass.so",
                                      "cusafe-retarget",
                                      "device/check-table.bc",
                                      "device/check-table-gpu.bc",
                                      "device/failing-table.spv"};
  static const char *const ways[] = {"/..", "/cusafe"};
  char folder[PATH_MAX] = "", path[PATH_MAX];
  const char *detect = form->checked ? form->detect : "";
  int length = snprintf(key, KEY_BYTES, "cusafe lift%s%s%s%s, %s %u", form->checked ? ", checked" : "",
                        *detect ? " for " : "", detect, form->part ? ", part" : "", form->ending, form->version);
  if (find_folder(folder))
    return;
  for (size_t way = 0; way < sizeof ways / sizeof *ways; way++)
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
      if (snprintf(path, sizeof path, "%s%s/%s", folder, ways[way], parts[i]) < PATH_MAX)
        length = add_file(key, length, path);
  if (find_command(path) == 0)
    add_file(key, length, path);
}

/* All modules, one after the other, each with its final 0: what the cache compares. */
static char *joined(const char *const *ptx, size_t count, size_t *bytes) {
  *bytes = 0;
  for (size_t i = 0; i < count; i++)
    *bytes += strlen(ptx[i]) + 1;
  char *made = malloc(*bytes + 1), *at = made;
  for (size_t i = 0; made && i < count; i++)
    at = stpcpy(at, ptx[i]) + 1;
  return made;
}

enum cs_jit_result cs_jit_lift(const char *const *ptx, size_t count, const struct cs_jit_form *form, void **made,
                               size_t *bytes) {
  char key[KEY_BYTES];
  size_t length;
  char *all = joined(ptx, count, &length);
  if (!all)
    return CS_JIT_NO_MEMORY;
  make_key(key, form);
  *made = cs_jit_cache_find(key, all, length, bytes);
  int is_cached = *made != NULL;
  enum cs_jit_result result = is_cached ? CS_JIT_MADE : lift(ptx, count, form, made, bytes);
  if (result == CS_JIT_MADE && !is_cached)
    cs_jit_cache_keep(key, all, length, *made, *bytes);
  free(all);
  return result;
}
