/* shim.c: creates a folder that looks like the CUDA toolkit; its nvcc is `cusafe cc`, its runtime is the CPU
 * device's. */
#include "cli/survey/shim.h"
#include "cli/base/message.h"
#include "cli/base/process.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int make_folder(const char *path) {
  return mkdir(path, 0777) == 0 || errno == EEXIST ? 0 : -1;
}

static int make_link(const char *target, const char *folder, const char *name) {
  char path[PATH_MAX];
  return cs_cli_join(path, folder, name) == 0 && (symlink(target, path) == 0 || errno == EEXIST) ? 0 : -1;
}

/* Links all entries of one folder into another, except the names that the shim provides itself. */
static int mirror(const char *from, const char *to, const char *const *except) {
  int bad = 0;
  DIR *d = opendir(from);
  for (struct dirent *e; d && (e = readdir(d));) {
    char target[PATH_MAX];
    int own = *e->d_name == '.';
    for (const char *const *x = except; *x; x++)
      own |= !strcmp(*x, e->d_name);
    if (!own)
      bad |= cs_cli_join(target, from, e->d_name) != 0 || make_link(target, to, e->d_name) != 0;
  }
  if (d)
    closedir(d);
  return bad ? -1 : 0;
}

static int write_file(const char *folder, const char *name, const char *text) {
  char path[PATH_MAX];
  FILE *out = cs_cli_join(path, folder, name) == 0 ? fopen(path, "w") : NULL;
  int bad = !out || fputs(text, out) < 0;
  if (out && fclose(out) != 0)
    bad = 1;
  return bad ? -1 : 0;
}

/* An object that refers to libcusafe: some linkers drop libraries that nothing refers to. */
static int make_anchor(const char *lib) {
  char clang[PATH_MAX], source[PATH_MAX], object[PATH_MAX];
  struct cs_cli_argv command = {0};
  if (cs_cli_find_clang(clang, NULL) || cs_cli_join(source, lib, "anchor.s") || cs_cli_join(object, lib, "anchor.o") ||
      write_file(
          lib, "anchor.s",
          "  .section .data.rel,\"aw\"\n  .quad cuGetProcAddress_v2\n  .section .note.GNU-stack,\"\",@progbits\n"))
    return -1;
  const char *const words[] = {clang, "-c", source, "-o", object};
  CS_CLI_ARGV_PUSH_ALL(&command, words);
  int status = cs_cli_run(command.items, 0);
  cs_cli_argv_free(&command);
  return status ? -1 : 0;
}

/* For programs that g++ links: linker scripts under the names of the runtime's libraries that load ours. NVIDIA's other
 * libraries are omitted, because they require a GPU: the linker reports which one is missing. */
static int make_libraries(const struct cs_cli_survey *s, const char *lib) {
  char *cusafe =
      s->bare ? cs_cli_format("%s", "") : cs_cli_format("%s/anchor.o %s/" CUSAFE_SONAME " ", lib, s->paths.lib);
  char *runtime = cs_cli_format("INPUT(%s%s/libcudart.so)\n", cusafe, s->paths.cpu);
  char *driver = cs_cli_format("INPUT(%s/libcuda.so)\n", s->paths.cpu);
  char stubs[PATH_MAX];
  int bad = make_folder(lib) || make_anchor(lib) || cs_cli_join(stubs, lib, "stubs") || make_folder(stubs);
  bad = bad || write_file(lib, "libcudart.so", runtime) || write_file(lib, "libcudart_static.a", runtime) ||
        write_file(lib, "libcuda.so", driver) || write_file(stubs, "libcuda.so", driver) ||
        write_file(lib, "libcudadevrt.a", "!<arch>\n") || write_file(lib, "libculibos.a", "!<arch>\n");
  free(cusafe);
  free(runtime);
  free(driver);
  return bad ? -1 : 0;
}

int cs_cli_survey_make_shim(struct cs_cli_survey *s) {
  static const char *const own[] = {"bin", "lib", "lib64", "targets", NULL}, *const programs[] = {"nvcc", NULL};
  char self[PATH_MAX] = "", bin[PATH_MAX], lib[PATH_MAX], real_bin[PATH_MAX];
  if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0 || cs_cli_join(bin, s->shim, "bin") ||
      cs_cli_join(lib, s->shim, "lib64") || cs_cli_join(real_bin, s->toolkit, "bin") || make_folder(s->shim) ||
      make_folder(bin) || mirror(s->toolkit, s->shim, own) || mirror(real_bin, bin, programs) ||
      make_link(self, bin, "nvcc") || make_libraries(s, lib) || make_link("lib64", s->shim, "lib"))
    return cs_cli_fail("cannot create the toolkit shim in %s: %s.", s->shim, strerror(errno)), -1;
  return 0;
}
