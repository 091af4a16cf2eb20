/* survey_programs.c: finds the program that a build has made, when nobody says how to run it. */
#include "cli/survey.h"
#include <elf.h>
#include <ftw.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* nftw has no argument for its callback, and a worker looks for one program at a time. */
static struct {
  double since;
  int count;
  char path[PATH_MAX];
} look;

/* Programs ask for an interpreter, shared libraries do not. */
static int is_program(const char *path) {
  Elf64_Ehdr header;
  Elf64_Phdr part;
  int found = 0;
  FILE *in = fopen(path, "rb");
  if (!in)
    return 0;
  if (fread(&header, sizeof header, 1, in) == 1 && !memcmp(header.e_ident, ELFMAG, SELFMAG) &&
      header.e_ident[EI_CLASS] == ELFCLASS64 && fseek(in, (long)header.e_phoff, SEEK_SET) == 0)
    for (int i = 0; i < header.e_phnum && !found && fread(&part, sizeof part, 1, in) == 1; i++)
      found = part.p_type == PT_INTERP;
  fclose(in);
  return found;
}

static int look_at(const char *path, const struct stat *about, int kind, struct FTW *where) {
  (void)where;
  int young = (double)about->st_mtim.tv_sec + 1e-9 * (double)about->st_mtim.tv_nsec >= look.since;
  if (kind != FTW_F || !young || !(about->st_mode & S_IXUSR) || strstr(path, "/CMakeFiles/") || !is_program(path))
    return 0;
  look.count++;
  snprintf(look.path, sizeof look.path, "%s", path);
  return 0;
}

int cs_cli_find_built_program(const char *folder, double since, char path[PATH_MAX]) {
  look.since = since;
  look.count = 0;
  nftw(folder, look_at, 16, FTW_PHYS);
  memcpy(path, look.path, PATH_MAX);
  return look.count;
}
