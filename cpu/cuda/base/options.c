/* options.c: the only file of the CPU driver that reads or sets environment variables. */
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/limits.h"
#include "cusafe/environment.h"
#include "jit/hash.h"
#include "report/print.h"
#include <dlfcn.h>
#include <limits.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct cs_cpu_options options;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static size_t half_of_memory(void) {
  long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? (size_t)pages / 2 * (size_t)page : (size_t)1 << 30;
}

static int flag(const char *name, int fallback) {
  const char *text = cs_environment(name);
  if (!text || !*text)
    return fallback;
  if (strcmp(text, "0") == 0 || strcmp(text, "1") == 0)
    return *text == '1';
  cs_report_print(stderr, "cusafe: %s=%s is ignored: it must be 0 or 1\n", name, text);
  return fallback;
}

/* Whether libcusafe, if it is in this process, expects a debugger (its option debugger=1). */
static int debugger_requested(void) {
  void *library = dlopen("libcusafe.so.0", RTLD_LAZY | RTLD_NOLOAD); /* the name in host/CMakeLists.txt */
  int (*ask)(void) = library ? (int (*)(void))dlsym(library, "cusafe_debugger_requested") : NULL;
  int requested = ask && ask();
  if (library)
    dlclose(library);
  return requested;
}

static void read_all(void) {
  options.devices = (int)cs_environment_number("CUSAFE_CPU_DEVICES", 1, CS_CPU_MAX_DEVICES);
  options.memory = (size_t)cs_environment_number("CUSAFE_CPU_MEMORY", half_of_memory(), SIZE_MAX / 2);
  options.timeout = (int)cs_environment_number("CUSAFE_CPU_TIMEOUT", 0, INT_MAX);
  options.optimize = flag("CUSAFE_CPU_OPTIMIZE", 1);
  options.refused_fails = flag("CUSAFE_CPU_REFUSED", 1);
  const char *loading = cs_environment("CUDA_MODULE_LOADING");
  options.eager_loading = loading && strcmp(loading, "EAGER") == 0;
  options.debug = flag("CUSAFE_CPU_DEBUG", debugger_requested());
}

const struct cs_cpu_options *cs_cpu_options(void) {
  pthread_once(&once, read_all);
  return &options;
}

const char *cs_cpu_options_anomaly(void) {
  return cs_environment("CUSAFE_CPU_ANOMALY");
}

/* The first folder that exists of the list that `cusafe` uses, too. */
static int find_engine(char *path, size_t size) {
  static const struct {
    const char *variable, *below;
  } folders[] = {
#define ENGINE_PATH(variable, below) {variable, below},
#include "cusafe/engine_paths.inc"
  };
  for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
    const char *folder = folders[i].variable ? cs_environment(folders[i].variable) : "";
    if (!folder || (folders[i].variable && !*folder))
      continue;
    int length = snprintf(path, size, "%s%s%s", folder, *folder && *folders[i].below ? "/" : "", folders[i].below);
    if (length > 0 && (size_t)length < size && access(path, R_OK) == 0)
      return 0;
  }
  return -1;
}

/* This library is in the folder cusafe/cpu of the prefix's library folder. */
static int find_engine_library(char *path, size_t size) {
  Dl_info self;
  if (!dladdr(&options, &self) || !self.dli_fname)
    return -1;
  const char *slash = strrchr(self.dli_fname, '/');
  int folder = slash ? (int)(slash - self.dli_fname) : 0;
  int length = snprintf(path, size, "%.*s/../../" CS_ENGINE_LIBRARY, folder, self.dli_fname);
  return folder && length > 0 && (size_t)length < size && access(path, R_OK) == 0 ? 0 : -1;
}

/* Where the environment is not trusted, the ICD loader and the engine must not read it either: their variables name
 * libraries, files to write, and the compiler's options. */
static void remove_engine_variables(void) {
  static const char *const prefixes[] = {"OCL_", "OPENCL_", "CL_", "POCL_", "TBB", "INTEL", "VOLCANO"};
  for (char **entry = environ; *entry;) {
    char name[256];
    int length = snprintf(name, sizeof name, "%.*s", (int)strcspn(*entry, "="), *entry), found = 0;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
      found |= strncmp(name, prefixes[i], strlen(prefixes[i])) == 0;
    if (found && (size_t)length < sizeof name && unsetenv(name) == 0)
      entry = environ;
    else
      entry++;
  }
}

/* Two passes of the engine are wrong. One sinks a store that both sides of an if end in, and its value is miscompiled
 * (retarget/engine_quirks/joins.c). The other copies instructions past barriers, so that fewer values have to be kept
 * for each thread: with many barriers it corrupts memory, unless it copies none. The user's options follow, and win. */
static void add_engine_options(void) {
  static const char ours[] = "-simplifycfg-sink-common=0 -sycl-barrier-copy-instruction-threshold=0";
  const char *given = cs_environment("CL_CONFIG_LLVM_OPTIONS");
  char *all = NULL;
  if (given && strstr(given, ours))
    return; /* from the parent process */
  if (asprintf(&all, "%s %s", ours, given ? given : "") < 0)
    return;
  setenv("CL_CONFIG_LLVM_OPTIONS", all, 1);
  free(all);
}

void cs_cpu_options_choose_engine(void) {
  char path[PATH_MAX];
  if (!cs_environment_is_trusted())
    remove_engine_variables();
  const char *chosen = cs_environment("OCL_ICD_VENDORS");
  if (!chosen || !*chosen) {
    if (find_engine(path, sizeof path) == 0) {
      setenv("OCL_ICD_VENDORS", path, 1);
    } else if (find_engine_library(path, sizeof path) == 0) {
      setenv("OCL_ICD_VENDORS", path, 1);
      setenv("OCL_ICD_FILENAMES", path, 0);
    }
  }
  add_engine_options();
}

/* A sum, because the order of variables is not fixed. */
uint64_t cs_cpu_options_engine_settings(void) {
  static const char prefix[] = "CL_CONFIG_";
  uint64_t sum = 0;
  for (char **entry = environ; *entry; entry++)
    if (strncmp(*entry, prefix, sizeof prefix - 1) == 0)
      sum += cs_jit_hash(CS_JIT_HASH_START, *entry, strlen(*entry));
  return sum;
}
