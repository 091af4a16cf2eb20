/* toolkit.c: `cusafe toolkit`: creates a CUDA toolkit whose nvcc is `cusafe cc`, and prints its path, for build systems
 * that search for nvcc below CUDA_HOME or CUDA_PATH. */
#include "cli/base/argv.h"
#include "cli/base/command.h"
#include "cli/base/message.h"
#include "cli/base/shim.h"
#include "jit/settings.h"
#include "report/fingerprint.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: cusafe toolkit [--cuda-path DIR] [FOLDER]\n\n"
    "Creates a folder that looks like the CUDA toolkit and prints its path: its nvcc is `cusafe cc`, its\n"
    "libraries are those of the CPU device, the rest are links to the real toolkit. For build systems\n"
    "that search for nvcc:\n\n"
    "  CUDA_HOME=$(cusafe toolkit) python3 setup.py build_ext --inplace\n"
    "  make CUDA_PATH=$(cusafe toolkit)\n"
    "  cmake -DCMAKE_CUDA_COMPILER=$(cusafe toolkit)/bin/nvcc -S . -B build\n\n"
    "  FOLDER           where to create it (default: a folder below $XDG_CACHE_HOME/cusafe, or\n"
    "                   ~/.cache/cusafe); completed if it exists\n"
    "  --cuda-path=DIR  the real CUDA toolkit (default: CUDA_PATH, CUDA_HOME, /usr/local/cuda)\n"
    "  --help           print this help\n\n"
    "Programs that this nvcc links run as those of `cusafe cc`. Start others, such as the interpreter of\n"
    "a Python extension, with `cusafe run --device=cpu`.\n";

struct request {
  const char *cuda_path, *folder; /* or NULL */
};

static int parse(struct request *r, int argc, char **argv) {
  static const char option[] = "--cuda-path";
  for (int i = 1; i < argc; i++) {
    size_t length = strlen(option);
    if (!strcmp(argv[i], option) && i + 1 < argc)
      r->cuda_path = argv[++i];
    else if (!strncmp(argv[i], option, length) && argv[i][length] == '=')
      r->cuda_path = argv[i] + length + 1;
    else if (*argv[i] == '-')
      return cs_cli_fail("toolkit: unknown option %s; see `cusafe toolkit --help`.", argv[i]), -1;
    else if (r->folder)
      return cs_cli_fail("toolkit: more than one folder: %s and %s.", r->folder, argv[i]), -1;
    else
      r->folder = argv[i];
  }
  return 0;
}

/* Two installations, or two toolkits, have two folders. */
static int default_folder(char to[PATH_MAX], const char *prefix, const char *toolkit) {
  char home[PATH_MAX], both[2 * PATH_MAX];
  if (cs_jit_cache_home(home))
    return cs_cli_fail("toolkit: neither XDG_CACHE_HOME nor HOME is set: name the folder to create."), -1;
  size_t bytes = (size_t)snprintf(both, sizeof both, "%s\n%s", prefix, toolkit);
  int length = snprintf(to, PATH_MAX, "%s/toolkit-%08x", home, (unsigned)cs_report_hash(both, bytes));
  return length < PATH_MAX ? 0 : (cs_cli_fail("toolkit: the path of the cache folder is too long."), -1);
}

static int make_parents(const char *folder) {
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s", folder);
  for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = 0;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
      return cs_cli_fail("cannot create the folder %s: %s.", path, strerror(errno)), -1;
    *slash = '/';
  }
  return 0;
}

static int make(const struct request *r) {
  static struct cs_cli_paths paths; /* static: large for a stack frame */
  char toolkit[PATH_MAX], folder[PATH_MAX], path[PATH_MAX];
  if (cs_cli_paths_find(&paths) || cs_cli_find_toolkit(r->cuda_path, path))
    return 1;
  if (!realpath(path, toolkit))
    return cs_cli_fail("cannot open %s: %s.", path, strerror(errno));
  if (r->folder ? cs_cli_join(folder, r->folder, "") : default_folder(folder, paths.prefix, toolkit))
    return 1;
  if (make_parents(folder) || (mkdir(folder, 0777) != 0 && errno != EEXIST) || !realpath(folder, path))
    return cs_cli_fail("cannot create the folder %s: %s.", folder, strerror(errno));
  struct cs_cli_shim shim = {.paths = &paths, .toolkit = toolkit, .folder = path, .stand_ins = 1};
  return cs_cli_shim_make(&shim) || puts(path) < 0 ? 1 : 0;
}

int cs_cli_command_toolkit(int argc, char **argv) {
  struct request r = {0};
  if (argc > 1 && (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h")))
    return fputs(help, stdout) < 0;
  return parse(&r, argc, argv) ? 2 : make(&r);
}
