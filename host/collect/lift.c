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

static char *lift_texts(const char *const *texts, size_t count) {
  static const struct cs_jit_form form = {.ending = "ptx", .version = CS_ABI_VERSION, .checked = 1};
  void *made = NULL;
  size_t bytes;
  if (!is_small(texts, count))
    return NULL;
  enum cs_jit_result result = cs_jit_lift(texts, count, &form, &made, &bytes);
  if (result == CS_JIT_MADE)
    return made;
  cs_host_message(0, "PTX that the program loads is not checked: %s",
                  result == CS_JIT_REFUSED      ? "it cannot be lifted (above)"
                  : result == CS_JIT_NO_COMMAND ? "the command cusafe is not installed next to libcusafe"
                                                : "there is no memory, or no file for it");
  return NULL;
}

static char *lift_text(const char *text) {
  return is_checked(text) ? NULL : lift_texts(&text, 1);
}

/* --- Fat binaries --- */

/* 90 of sm_90: of the current device, or before there is a context, of the first. */
static unsigned device_arch(void) {
  const struct cs_host_driver *driver = cs_host_driver();
  CUdevice device = 0;
  int major = 0, minor = 0;
  if (driver->cuCtxGetDevice(&device))
    device = 0;
  if (driver->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device) ||
      driver->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device))
    return 0;
  return (unsigned)(major * 10 + minor);
}

/* The PTX of the highest architecture up to this one, freed by the caller; NULL if there is none. */
static char *read_container(const void *container, unsigned arch) {
  struct cs_fatbin_entry entry, best = {.arch = 0};
  size_t offset = 0, bytes = cs_fatbin_bytes(container, CS_FATBIN_HEADER_BYTES);
  const char *reason;
  int more;
  while ((more = cs_fatbin_next(container, bytes, &offset, &entry)) > 0)
    if (entry.kind == CS_FATBIN_PTX && entry.arch <= arch && entry.arch > best.arch)
      best = entry;
  return more == 0 && best.arch ? cs_fatbin_read(&best, &reason) : NULL;
}

static char *lift_container(const void *container) {
  char *text = read_container(container, device_arch()), *made = text ? lift_text(text) : NULL;
  free(text);
  return made;
}

/* nvcc adds NVIDIA's device runtime to every device link. It has PTX only for the newest architecture, and nothing that the host uses; kernels
 * that call it cannot be lifted. */
static int is_device_runtime(const void *container) {
  char *text = read_container(container, UINT_MAX);
  int is = text && strstr(text, "__CNPRT_VERSION_NUMBER__");
  free(text);
  return is;
}

/* The PTX of all units but the device runtime. Returns how many; 0 if one of them has none, or has checks. */
static size_t read_units(const void *const *units, size_t count, char **texts) {
  unsigned arch = device_arch();
  size_t read = 0;
  for (size_t i = 0; i < count; i++) {
    texts[read] = read_container(units[i], arch);
    if (texts[read] ? is_checked(texts[read]) : !is_device_runtime(units[i]))
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

static int starts_with(const void *data, unsigned magic) {
  return memcmp(data, &magic, sizeof magic) == 0;
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
  FILE *file = path && !cs_host_driver_lifts() && cs_host_lifts() ? fopen(path, "rb") : NULL;
  if (!file)
    return NULL;
  char *data = fstat(fileno(file), &status) == 0 ? calloc(1, (size_t)status.st_size + 1) : NULL;
  size_t bytes = data ? fread(data, 1, (size_t)status.st_size, file) : 0;
  char *made = data ? lift_bytes(data, bytes) : NULL;
  fclose(file);
  free(data);
  return made;
}
