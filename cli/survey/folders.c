/* folders.c: finds the folders that a survey builds and runs. */
#include "cli/survey/folders.h"
#include "cli/base/message.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* A CMakeLists.txt without project() is part of a larger project and cannot be configured alone. */
static int is_top_cmake(const char *path) {
  char line[4096];
  int found = 0;
  FILE *in = fopen(path, "r");
  while (in && !found && fgets(line, sizeof line, in)) {
    const char *p = line + strspn(line, " \t");
    found = !strncasecmp(p, "project", 7) && p[7 + strspn(p + 7, " \t")] == '(';
  }
  if (in)
    fclose(in);
  return found;
}

enum cs_cli_build_kind cs_cli_build_kind(const char *folder) {
  static const char *const names[] = {"GNUmakefile", "makefile", "Makefile"};
  char path[PATH_MAX];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (cs_cli_join(path, folder, names[i]) == 0 && cs_cli_is_file(path))
      return CS_CLI_BUILD_MAKE;
  return cs_cli_join(path, folder, "CMakeLists.txt") == 0 && cs_cli_is_file(path) && is_top_cmake(path)
             ? CS_CLI_BUILD_CMAKE
             : CS_CLI_BUILD_NONE;
}

/* Lists the names of folders, or of files. Does not follow links to folders, which may form cycles. */
static void list(const char *folder, int folders, struct cs_cli_argv *to) {
  DIR *d = opendir(folder);
  for (struct dirent *e; d && (e = readdir(d));) {
    char path[PATH_MAX];
    struct stat status;
    if (*e->d_name == '.' || cs_cli_join(path, folder, e->d_name) != 0 || lstat(path, &status) != 0)
      continue;
    if (folders ? S_ISDIR(status.st_mode) : !S_ISDIR(status.st_mode))
      cs_cli_argv_push(to, e->d_name);
  }
  if (d)
    closedir(d);
}

static int has_cuda_here(const char *folder) {
  struct cs_cli_argv files = {0};
  int found = 0;
  list(folder, 0, &files);
  for (size_t i = 0; i < files.count && !found; i++) {
    const char *dot = strrchr(files.items[i], '.');
    found = dot && (!strcmp(dot, ".cu") || !strcmp(dot, ".cuh"));
  }
  cs_cli_argv_free(&files);
  return found;
}

static int has_cuda(const char *folder) { // NOLINT(misc-no-recursion): as deep as the tree
  struct cs_cli_argv below = {0};
  int found = has_cuda_here(folder);
  list(folder, 1, &below);
  for (size_t i = 0; i < below.count && !found; i++) {
    char path[PATH_MAX];
    found = cs_cli_join(path, folder, below.items[i]) == 0 && has_cuda(path);
  }
  cs_cli_argv_free(&below);
  return found;
}

static void add(struct cs_cli_folders *to, const char *path, const char *name) {
  if (to->count == to->room) {
    to->room = to->room ? 2 * to->room : 64;
    struct cs_cli_folder *grown = realloc(to->items, to->room * sizeof *grown);
    if (!grown) {
      cs_cli_fail("out of memory.");
      exit(1);
    }
    to->items = grown;
  }
  to->items[to->count++] = (struct cs_cli_folder){cs_cli_format("%s", path), cs_cli_format("%s", name)};
}

static void visit(const char *path, const char *name, int is_root,
                  struct cs_cli_folders *to) { // NOLINT(misc-no-recursion)
  /* A root whose Makefile builds the folders below it is not a single program. */
  if (cs_cli_build_kind(path) != CS_CLI_BUILD_NONE && (is_root ? has_cuda_here(path) : has_cuda(path))) {
    add(to, path, *name ? name : strrchr(path, '/') + 1);
    return;
  }
  struct cs_cli_argv below = {0};
  list(path, 1, &below);
  for (size_t i = 0; i < below.count; i++) {
    char *inner = cs_cli_format("%s/%s", path, below.items[i]);
    char *inner_name = *name ? cs_cli_format("%s/%s", name, below.items[i]) : cs_cli_format("%s", below.items[i]);
    visit(inner, inner_name, 0, to);
    free(inner);
    free(inner_name);
  }
  cs_cli_argv_free(&below);
}

static int by_name(const void *a, const void *b) {
  return strcmp(((const struct cs_cli_folder *)a)->name, ((const struct cs_cli_folder *)b)->name);
}

static void drop(struct cs_cli_folder *folder) {
  free(folder->path);
  free(folder->name);
}

/* Of the folders that match so far, *matched, every Nth is selected; of those, the shard's. */
static int selects(const struct cs_cli_survey *s, const char *name, size_t *matched) {
  if (s->folder)
    return !strcmp(name, s->folder);
  if (s->only && !strstr(name, s->only))
    return 0;
  size_t number = (*matched)++, every = (size_t)s->every;
  return number % every == 0 && (!s->shards || number / every % (size_t)s->shards == (size_t)s->shard - 1);
}

static void filter(const struct cs_cli_survey *s, struct cs_cli_folders *found) {
  size_t kept = 0, matched = 0;
  for (size_t i = 0; i < found->count; i++) {
    if (selects(s, found->items[i].name, &matched))
      found->items[kept++] = found->items[i];
    else
      drop(&found->items[i]);
  }
  found->count = kept;
}

void cs_cli_survey_find(const struct cs_cli_survey *s, struct cs_cli_folders *found) {
  for (size_t i = 0; i < s->roots.count; i++) {
    char path[PATH_MAX];
    if (!realpath(s->roots.items[i], path) || !cs_cli_is_folder(path))
      cs_cli_fail("%s is not a folder.", s->roots.items[i]);
    else
      visit(path, s->roots.count > 1 ? s->roots.items[i] : "", 1, found);
  }
  if (found->count)
    qsort(found->items, found->count, sizeof *found->items, by_name);
  filter(s, found);
}

void cs_cli_folders_free(struct cs_cli_folders *found) {
  for (size_t i = 0; i < found->count; i++)
    drop(&found->items[i]);
  free(found->items);
  *found = (struct cs_cli_folders){0};
}
