/* lift.c: finds the PTX in what a program loads, and has the checks added. */
#include "host/collect/lift.h"
#include "cusafe/abi.h"
#include "fatbin/fatbin.h"
#include "host/base/driver.h"
#include "host/base/messages.h"
#include "jit/lift.h"
#include "options/process.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int cs_host_lifts(void) {
  return cs_host_driver_lifts() || (cs_options()->lift_bytes > 0 && cs_jit_has_command());
}

/* --- PTX --- */

static int is_checked(const char *ptx) {
  return strstr(ptx, CS_SYM_MODULE) != NULL;
}

static int is_small(const char *const *texts, size_t count) {
  size_t bytes = 0, most = (size_t)cs_options()->lift_bytes;
  for (size_t i = 0; i < count; i++)
    bytes += strlen(texts[i]);
  if (bytes > most)
    cs_host_message_once(
        1, "a module with %zu bytes of PTX is not checked: lifting it would take long; lift_bytes=N sets another limit",
        bytes);
  return bytes <= most;
}

/* The version of CUDA, 12090 of 12.9, whose driver first accepts PTX of this version. */
static int cuda_of(const char *ptx) {
  int major = 0, minor = 0;
  const char *version = strstr(ptx, ".version");
  if (!version || sscanf(version, ".version %d.%d", &major, &minor) != 2)
    return INT_MAX;
  return (major + 4) * 1000 + (minor + (major == 8 && minor > 5)) * 10; /* 8.5: 12.5, 8.6: 12.7, 9.0: 13.0 */
}

static int is_accepted(const char *ptx) {
  if (cs_host_driver_version() >= cuda_of(ptx))
    return 1;
  cs_host_message_once(0, "PTX that the program loads is not checked: the checks need a driver of CUDA %d.%d or later",
                       cuda_of(ptx) / 1000, cuda_of(ptx) % 1000 / 10);
  return 0;
}

/* Where nothing can be lifted, as without clang, it is not tried for every module. */
static int is_hopeless(enum cs_jit_result result) {
  enum { ENOUGH = 8 };
  static int failed, made;
  if (result == CS_JIT_MADE)
    return __atomic_store_n(&made, 1, __ATOMIC_RELAXED), 0;
  return __atomic_add_fetch(&failed, result == CS_JIT_REFUSED, __ATOMIC_RELAXED) >= ENOUGH &&
         !__atomic_load_n(&made, __ATOMIC_RELAXED);
}

static char *lift_texts(const char *const *texts, size_t count) {
  static const struct cs_jit_form form = {.ending = "ptx", .version = CS_ABI_VERSION, .checked = 1, .detect = ""};
  static int hopeless;
  void *made = NULL;
  size_t bytes;
  if (!is_small(texts, count) || __atomic_load_n(&hopeless, __ATOMIC_RELAXED))
    return NULL;
  enum cs_jit_result result = cs_jit_lift(texts, count, &form, &made, &bytes);
  if (is_hopeless(result))
    __atomic_store_n(&hopeless, 1, __ATOMIC_RELAXED);
  if (result == CS_JIT_MADE && is_accepted(made))
    return made;
  if (result != CS_JIT_MADE)
    cs_host_message_once(0, "PTX that the program loads is not checked: %s",
                         result == CS_JIT_REFUSED      ? "it cannot be lifted (above)"
                         : result == CS_JIT_NO_COMMAND ? "the command cusafe is not installed next to libcusafe"
                                                       : "there is no memory, or no file for it");
  free(made);
  return NULL;
}

static char *lift_text(const char *text) {
  return is_checked(text) ? NULL : lift_texts(&text, 1);
}

/* --- Fat binaries --- */

static unsigned arch_of(CUdevice device) {
  const struct cs_host_driver *driver = cs_host_driver();
  int major = 0, minor = 0;
  if (driver->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
      driver->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    return 0;
  return (unsigned)(major * 10 + minor);
}

/* 90 of sm_90: the lowest of all devices, since a library is for all of them. */
static unsigned lowest_arch(void) {
  unsigned lowest = UINT_MAX;
  int count = 0;
  if (cs_host_driver()->cuDeviceGetCount(&count))
    return 0;
  for (int i = 0; i < count; i++)
    lowest = arch_of(i) < lowest ? arch_of(i) : lowest;
  return count ? lowest : 0;
}

/* PTX for sm_90a runs on that architecture only, PTX for sm_100f on those of its family. */
static int is_for(const char *ptx, unsigned arch) {
  const char *target = strstr(ptx, ".target sm_");
  char *end = NULL;
  unsigned long number = target ? strtoul(target + strlen(".target sm_"), &end, 10) : 0;
  if (!number || !end)
    return 0;
  return *end == 'a' ? number == arch : *end != 'f' || number / 10 == arch / 10;
}

/* The PTX of the highest architecture up to this one, freed by the caller; NULL if there is none, or if machine code
 * for a higher one is what runs without CuSafe. */
static char *read_container(const void *container, unsigned arch) {
  struct cs_fatbin_entry entry, best = {.arch = 0};
  size_t offset = 0, bytes = cs_fatbin_bytes(container, CS_FATBIN_HEADER_BYTES);
  unsigned machine_code = 0;
  const char *reason;
  int more;
  while ((more = cs_fatbin_next(container, bytes, &offset, &entry)) > 0) {
    if (entry.arch > arch)
      continue;
    if (entry.kind == CS_FATBIN_PTX && entry.arch > best.arch)
      best = entry;
    if (entry.kind == CS_FATBIN_MACHINE_CODE && entry.arch / 10 == arch / 10 && entry.arch > machine_code)
      machine_code = entry.arch;
  }
  return more == 0 && best.arch && best.arch >= machine_code ? cs_fatbin_read(&best, &reason) : NULL;
}

static char *lift_container(const void *container) {
  unsigned arch = lowest_arch();
  char *text = read_container(container, arch), *made = text && is_for(text, arch) ? lift_text(text) : NULL;
  free(text);
  return made;
}

/* nvcc adds NVIDIA's device runtime to every device link. It has PTX only for the newest architecture, and nothing that
 * the host uses; kernels that call it cannot be lifted. */
static int is_device_runtime(const void *container) {
  char *text = read_container(container, UINT_MAX);
  int is = text && strstr(text, "__CNPRT_VERSION_NUMBER__");
  free(text);
  return is;
}

/* The PTX of all units but the device runtime. Returns how many; 0 if one of them has none, or has checks. */
static size_t read_units(const void *const *units, size_t count, char **texts) {
  unsigned arch = lowest_arch();
  size_t read = 0;
  for (size_t i = 0; i < count; i++) {
    texts[read] = read_container(units[i], arch);
    if (texts[read] ? is_checked(texts[read]) || !is_for(texts[read], arch) : !is_device_runtime(units[i]))
      return 0;
    read += texts[read] != NULL;
  }
  return read;
}

/* Units before the device linker joined their machine code. */
static char *lift_linked(const void *const *units) {
  size_t count = 0;
  while (units && units[count])
    count++;
  char **texts = calloc(count + 1, sizeof *texts), *made = NULL;
  size_t read = texts ? read_units(units, count, texts) : 0;
  if (read)
    made = lift_texts((const char *const *)texts, read);
  for (size_t i = 0; texts && i < count; i++)
    free(texts[i]);
  free(texts);
  return made;
}

/* --- All --- */

/* The data may be a shorter text; no byte of the numbers is zero. */
static int starts_with(const void *data, unsigned magic) {
  return strncmp(data, (const char *)&magic, sizeof magic) == 0;
}

char *cs_host_lift(const void *image) {
  if (!image || cs_host_driver_lifts() || !cs_host_lifts())
    return NULL;
  if (starts_with(image, CS_FATBIN_WRAPPER_MAGIC)) {
    const struct cs_fatbin_wrapper *wrapper = image;
    if (wrapper->version == CS_FATBIN_WRAPPER_LINKED)
      return lift_linked(wrapper->linked);
    image = wrapper->data;
  }
  if (image && starts_with(image, CS_FATBIN_MAGIC))
    return lift_container(image);
  return image && cs_jit_is_ptx(image) ? lift_text(image) : NULL;
}

/* A file's container must be whole. */
static char *lift_bytes(const char *data, size_t bytes) {
  return bytes < CS_FATBIN_HEADER_BYTES || starts_with(data, CS_FATBIN_WRAPPER_MAGIC) ||
                 (starts_with(data, CS_FATBIN_MAGIC) && cs_fatbin_bytes(data, bytes) > bytes)
             ? NULL
             : cs_host_lift(data);
}

char *cs_host_lift_file(const char *path) {
  struct stat status;
  if (!path || cs_host_driver_lifts() || !cs_host_lifts() || stat(path, &status) != 0 || !S_ISREG(status.st_mode))
    return NULL;
  FILE *file = fopen(path, "rb");
  if (!file)
    return NULL;
  char *data = calloc(1, (size_t)status.st_size + 1);
  size_t bytes = data ? fread(data, 1, (size_t)status.st_size, file) : 0;
  char *made = data ? lift_bytes(data, bytes) : NULL;
  fclose(file);
  free(data);
  return made;
}
