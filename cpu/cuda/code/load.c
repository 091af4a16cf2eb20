/* load.c: what programs pass to the calls that load modules and libraries: device images, PTX text, and fat binaries,
 * of which the PTX is used. */
#include "cpu/cuda/code/load.h"
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/refused.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/lift.h"
#include "cpu/cuda/code/linked.h"
#include "cpu/cuda/code/texts.h"
#include "cusafe/abi.h"
#include "cusafe/lifts.h"
#include "fatbin/fatbin.h"
#include "jit/lift.h"
#include "report/print.h"
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = 1 << 19 }; /* bytes of PTX: lifting this much takes seconds */

/* --- Sentences --- */

static CUresult only_machine_code(unsigned arch) {
  static atomic_int printed;
  if (!cs_cpu_is_loading_ahead() && !atomic_exchange(&printed, 1))
    cs_report_print(
        stderr,
        "cusafe: a device module has machine code for sm_%u and no PTX, so the CPU device cannot run it: compile it "
        "with 'nvcc -arch=sm_%u', which adds PTX, or with 'cusafe cc'.\n",
        arch, arch);
  return cs_cpu_refuse(CUDA_ERROR_NO_BINARY_FOR_GPU);
}

static CUresult malformed(void) {
  fputs("cusafe: a device module is a malformed fat binary.\n", stderr);
  return CUDA_ERROR_INVALID_IMAGE;
}

static CUresult unreadable(unsigned arch, const char *reason) {
  cs_report_print(stderr, "cusafe: the PTX for compute_%u in a fat binary cannot be read: %s.\n", arch, reason);
  return cs_cpu_refuse(CUDA_ERROR_INVALID_IMAGE);
}

/* Checking it again would report the accesses of the checks themselves. */
static CUresult checked_before(void) {
  fputs("cusafe: a device module is PTX that CuSafe has checked for a GPU: for the CPU device, build the program with "
        "'cusafe cc --device=cpu'.\n",
        stderr);
  return cs_cpu_refuse(CUDA_ERROR_NO_BINARY_FOR_GPU);
}

/* --- PTX --- */

static CUresult lift_whole(const char *const *ptx, size_t count, void **lifted) {
  for (size_t i = 0; i < count && cusafe_lifts_ptx(); i++)
    if (strstr(ptx[i], CS_SYM_MODULE))
      return checked_before();
  return cs_cpu_lift(ptx, count, 0, lifted);
}

/* NULL if they have to be lifted whole. */
static struct cs_cpu_texts *divide(const char *const *ptx, size_t count) {
  int is_divisible = !cs_cpu_options()->eager_loading;
  for (size_t i = 0; i < count && is_divisible; i++)
    is_divisible = !strstr(ptx[i], CS_SYM_MODULE);
  return is_divisible ? cs_cpu_texts_open(ptx, count) : NULL;
}

/* Lifting all of large modules takes minutes, and programs launch few of their kernels. */
static int are_large(const char *const *ptx, size_t count) {
  size_t bytes = 0;
  for (size_t i = 0; i < count; i++)
    bytes += strlen(ptx[i]);
  return bytes >= LARGE;
}

/* Of large modules only the variables now, and kernels when they are wanted. */
static CUresult lift_texts(const char *const *ptx, size_t count, struct cs_cpu_given *given) {
  given->rest = are_large(ptx, count) ? divide(ptx, count) : NULL;
  return given->rest ? cs_cpu_texts_variables(given->rest, &given->lifted) : lift_whole(ptx, count, &given->lifted);
}

static CUresult lift_text(const char *text, struct cs_cpu_given *given) {
  return lift_texts(&text, 1, given);
}

/* Modules that cannot be lifted may have kernels that can. */
static CUresult lift_rest_of(const char *const *ptx, size_t count, struct cs_cpu_given *given) {
  size_t kernels = 0;
  struct cs_cpu_texts *texts = divide(ptx, count);
  cs_cpu_texts_kernels(texts, &kernels);
  if (kernels < 2) {
    cs_cpu_texts_close(texts);
    return CUDA_ERROR_INVALID_PTX;
  }
  fputs("cusafe: a PTX module has code that cannot be translated (above): its kernels are translated one by one, and "
        "those that need this code cannot be launched.\n",
        stderr);
  given->rest = texts;
  return cs_cpu_texts_variables(texts, &given->lifted);
}

static CUresult lift_rest(const char *text, struct cs_cpu_given *given) {
  return lift_rest_of(&text, 1, given);
}

static CUresult lift_whole_or_rest(const char *const *ptx, size_t count, struct cs_cpu_given *given) {
  CUresult result = lift_texts(ptx, count, given);
  return result == CUDA_ERROR_INVALID_PTX && !given->rest ? lift_rest_of(ptx, count, given) : result;
}

/* --- Links --- */

/* Names that no module defines are an error of the link, not of a kernel. */
static int are_divisible(const char *const *ptx, size_t count) {
  struct cs_cpu_texts *texts = are_large(ptx, count) ? divide(ptx, count) : NULL;
  int are = texts && cs_cpu_texts_are_complete(texts);
  cs_cpu_texts_close(texts);
  return are;
}

CUresult cs_cpu_load_link(const char *const *ptx, size_t count, void **made, size_t *bytes) {
  struct cs_cpu_linked *linked = are_divisible(ptx, count) ? cs_cpu_linked_new(ptx, count) : NULL;
  *made = linked;
  CUresult result = linked ? CUDA_SUCCESS : lift_whole(ptx, count, made);
  if (result == CUDA_SUCCESS)
    *bytes = linked ? linked->total_bytes : ((const struct cs_image *)*made)->total_bytes;
  return result;
}

static CUresult lift_link(const struct cs_cpu_linked *linked, struct cs_cpu_given *given) {
  const char **texts = cs_cpu_linked_texts(linked);
  CUresult result = texts ? lift_whole_or_rest(texts, linked->count, given) : CUDA_ERROR_OUT_OF_MEMORY;
  free(texts);
  return result;
}

/* --- Fat binaries --- */

/* The PTX of the highest architecture below `limit`. Returns 1, 0 if there is none, -1 if the container is malformed.
 * *machine_code: the architecture of an entry with machine code, if there is one. */
static int find_ptx(const void *container, size_t bytes, unsigned limit, struct cs_fatbin_entry *best,
                    unsigned *machine_code) {
  struct cs_fatbin_entry entry;
  size_t offset = 0;
  int more, found = 0;
  while ((more = cs_fatbin_next(container, bytes, &offset, &entry)) > 0) {
    if (entry.kind == CS_FATBIN_MACHINE_CODE)
      *machine_code = entry.arch;
    if (entry.kind != CS_FATBIN_PTX || entry.arch >= limit || (found && entry.arch <= best->arch))
      continue;
    *best = entry;
    found = 1;
  }
  return more < 0 ? -1 : found;
}

static CUresult read_entry(const struct cs_fatbin_entry *entry, char **text) {
  const char *reason;
  *text = cs_fatbin_read(entry, &reason);
  return *text ? CUDA_SUCCESS : unreadable(entry->arch, reason);
}

static size_t bytes_of(const void *container) {
  return cs_fatbin_bytes(container, CS_FATBIN_HEADER_BYTES);
}

/* The PTX of the highest architecture below *limit, which becomes the limit; 0 if there is none. */
static CUresult lift_below(const void *container, unsigned *limit,
                           CUresult (*lift)(const char *text, struct cs_cpu_given *given), struct cs_cpu_given *given) {
  struct cs_fatbin_entry entry = {.arch = 0};
  unsigned machine_code = 0, before = *limit;
  char *text = NULL;
  int found = find_ptx(container, bytes_of(container), before, &entry, &machine_code);
  *limit = entry.arch;
  if (found <= 0)
    return found < 0 ? malformed() : before == UINT32_MAX ? only_machine_code(machine_code) : CUDA_ERROR_INVALID_PTX;
  CUresult result = read_entry(&entry, &text);
  if (result == CUDA_SUCCESS)
    result = lift(text, given);
  free(text);
  return result;
}

/* PTX for a lower architecture may lack the construct that cannot be lifted. */
static CUresult lift_container(const void *container, struct cs_cpu_given *given) {
  unsigned limit = UINT32_MAX, all = UINT32_MAX;
  CUresult result;
  do
    result = lift_below(container, &limit, lift_text, given);
  while (result == CUDA_ERROR_INVALID_PTX && limit > 0);
  return result == CUDA_ERROR_INVALID_PTX ? lift_below(container, &all, lift_rest, given) : result;
}

CUresult cs_cpu_load_ptx(const void *container, size_t bytes, char **text) {
  struct cs_fatbin_entry entry;
  unsigned machine_code = 0;
  int found = find_ptx(container, bytes, UINT32_MAX, &entry, &machine_code);
  return found < 0 ? malformed() : found ? read_entry(&entry, text) : only_machine_code(machine_code);
}

/* nvcc adds NVIDIA's device runtime (libcudadevrt) to a program without machine code, whether kernels call it or not.
 * It cannot run here: without it only the kernels that launch others or call CUDA are refused. */
static int is_device_runtime(const char *text) {
  return strstr(text, "_cuda_device_runtime_cu_") != NULL;
}

static CUresult read_units(const void *const *units, char **texts, size_t *count) {
  CUresult result = CUDA_SUCCESS;
  for (*count = 0; units && *units && result == CUDA_SUCCESS; units++) {
    char *text = NULL;
    result = cs_cpu_load_ptx(*units, bytes_of(*units), &text);
    if (result == CUDA_SUCCESS && !is_device_runtime(text))
      texts[(*count)++] = text;
    else
      free(text);
  }
  return result;
}

/* The program's units before nvcc's device linker joined their machine code: their PTX is linked instead. */
static CUresult lift_linked(const void *const *units, struct cs_cpu_given *given) {
  size_t count = 0;
  while (units && units[count])
    count++;
  char **texts = calloc(count + 1, sizeof *texts);
  CUresult result = texts ? read_units(units, texts, &count) : CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS)
    result = lift_whole_or_rest((const char *const *)texts, count, given);
  for (size_t i = 0; texts && i < count; i++)
    free(texts[i]);
  free(texts);
  return result;
}

/* --- All --- */

/* Whether the driver, which a test has made older than it is, knows this version of PTX: 8.8 is CUDA 12.9's. */
static int is_too_new(const char *ptx) {
  int major = 0, minor = 0;
  long driver = cs_cpu_anomalies()->version;
  const char *version = strstr(ptx, ".version");
  if (driver == CS_CPU_DRIVER_VERSION || !version || sscanf(version, ".version %d.%d", &major, &minor) != 2)
    return 0;
  return driver < (major + 4) * 1000 + (minor + (major == 8 && minor > 5)) * 10;
}

CUresult cs_cpu_load(const void *data, struct cs_cpu_given *given) {
  CUresult result = CUDA_SUCCESS;
  *given = (struct cs_cpu_given){0};
  const struct cs_fatbin_wrapper *wrapper =
      cs_cpu_starts_with(data, CS_FATBIN_WRAPPER_MAGIC, sizeof(uint32_t)) ? data : NULL;
  if (wrapper)
    data = wrapper->data;
  if (!data)
    return CUDA_ERROR_INVALID_VALUE;
  if (wrapper && wrapper->version == CS_FATBIN_WRAPPER_LINKED)
    result = lift_linked(wrapper->linked, given);
  else if (cs_jit_is_ptx(data) && is_too_new(data))
    result = CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
  else if (cs_jit_is_ptx(data))
    result = lift_whole_or_rest((const char *const[]){data}, 1, given);
  else if (cs_cpu_starts_with(data, CS_CPU_LINKED_MAGIC, sizeof(uint64_t)))
    result = lift_link(data, given);
  else if (cs_cpu_starts_with(data, CS_FATBIN_MAGIC, sizeof(uint32_t)))
    result = lift_container(data, given);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_image_open(given->lifted ? given->lifted : data, &given->image);
  if (result != CUDA_SUCCESS)
    cs_cpu_load_end(given);
  return result;
}

void cs_cpu_load_end(struct cs_cpu_given *given) {
  free(given->lifted);
  cs_cpu_texts_close(given->rest);
  *given = (struct cs_cpu_given){0};
}
