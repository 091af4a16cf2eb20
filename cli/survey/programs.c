/* programs.c: finds the program that a build has produced. */
#include "cli/survey/programs.h"
#include <elf.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* nftw passes no argument to its callback; a worker runs one search at a time. */
static struct {
  double since;
  int count;
  char path[PATH_MAX];
} search;

/* Programs have an interpreter segment, shared libraries do not. */
static int is_program(const char *path) {
  Elf64_Ehdr header;
  Elf64_Phdr segment;
  int found = 0;
  FILE *in = fopen(path, "rb");
  if (!in)
    return 0;
  if (fread(&header, sizeof header, 1, in) == 1 && !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
      header.e_ident[EI_CLASS] == ELFCLASS64 && fseek(in, (long)header.e_phoff, SEEK_SET) == 0)
    for (int i = 0; i < header.e_phnum && !found && fread(&segment, sizeof segment, 1, in) == 1; i++)
      found = segment.p_type == PT_INTERP;
  fclose(in);
  return found;
}

static int inspect(const char *path, const struct stat *status, int kind, struct FTW *where) {
  (void)where;
  int is_new = (double)status->st_mtim.tv_sec + 1e-9 * (double)status->st_mtim.tv_nsec >= search.since;
  if (kind != FTW_F || !is_new || !(status->st_mode & S_IXUSR) || strstr(path, "/CMakeFiles/") || !is_program(path))
    return 0;
  search.count++;
  snprintf(search.path, sizeof search.path, "%s", path);
  return 0;
}

int cs_cli_find_built_program(const char *folder, double since, char path[PATH_MAX]) {
  search.since = since;
  search.count = 0;
  nftw(folder, inspect, 16, FTW_PHYS);
  memcpy(path, search.path, PATH_MAX);
  return search.count;
}
