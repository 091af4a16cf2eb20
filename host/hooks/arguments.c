/* arguments.c: checks the pointers among a launch's arguments. */
#include "host/hooks/arguments.h"
#include "host/base/degraded.h"
#include "host/findings/drain.h"
#include "host/process/pending.h"
#include "host/process/registered.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include <stdio.h>
#include <string.h>

static CUresult parameter(CUfunction function, int is_library, size_t index, size_t *offset, size_t *size) {
  const struct cs_host_driver *d = cs_host_driver();
  if (is_library)
    return d->cuKernelGetParamInfo ? d->cuKernelGetParamInfo((CUkernel)function, index, offset, size)
                                   : CUDA_ERROR_NOT_SUPPORTED;
  return d->cuFuncGetParamInfo ? d->cuFuncGetParamInfo(function, index, offset, size) : CUDA_ERROR_NOT_SUPPORTED;
}

static const char *buffer_in(void **extra) {
  for (; extra && extra[0] != CU_LAUNCH_PARAM_END; extra += 2)
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER)
      return extra[1];
  return NULL;
}

static int is_mapped_here(cs_u64 value) {
  FILE *maps = fopen("/proc/self/maps", "re");
  if (!maps)
    cs_host_degraded(CS_DEGRADED_CALLS);
  char line[512], permissions[8];
  int found = 0;
  while (maps && !found && fgets(line, sizeof line, maps)) {
    cs_u64 start, end;
    found = sscanf(line, "%llx-%llx %7s", &start, &end, permissions) == 3 && permissions[0] == 'r' && value >= start &&
            value < end;
  }
  if (maps)
    fclose(maps);
  return found;
}

/* Without an answer, it may. */
static int device_reads_host_memory(void) {
  struct cs_host_context *c = cs_host_context_current();
  int can = 0;
  if (c && !cs_host_driver()->cuDeviceGetAttribute(&can, CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS, c->device))
    return can;
  cs_host_degraded(CS_DEGRADED_CALLS);
  return 1;
}

/* Whether the driver knows the address. An error other than CUDA_ERROR_INVALID_VALUE is no answer, and what may be
 * known is not reported. */
static int is_known_to_driver(cs_u64 value) {
  unsigned type;
  const struct cs_host_driver *d = cs_host_driver();
  CUresult error = d->cuPointerGetAttribute ? d->cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, value)
                                            : CUDA_ERROR_INVALID_VALUE;
  if (error && error != CUDA_ERROR_INVALID_VALUE)
    cs_host_degraded(CS_DEGRADED_CALLS);
  return error != CUDA_ERROR_INVALID_VALUE;
}

/* Memory of this process that the driver does not know. */
static int is_host_memory(cs_u64 value) {
  struct cs_host_registered registered;
  if (cs_is_null(value) || value >> CS_ADDRESS_BITS || cs_host_heap_owns(cs_host_process_heap(), value))
    return 0;
  if (!cs_host_registered_find(value, &registered))
    return 0;
  return !is_known_to_driver(value) && is_mapped_here(value) && !device_reads_host_memory();
}

struct launch {
  const char *kernel, *call;
};

static void check(cs_u64 value, cs_u32 index, int is_whole, void *data) {
  const struct launch *launch = data;
  int host = is_whole && is_host_memory(value);
  if (!host && !(is_whole && cs_host_is_stale(value)))
    return;
  struct cs_host_argument_error error = {.call = launch->call,
                                         .kernel = launch->kernel,
                                         .pointer = value,
                                         .index = index,
                                         .is_host = host,
                                         .stack = cs_host_stack_here()};
  cs_host_found_argument(&error);
}

void cs_host_arguments_each(CUfunction function, void **parameters, void **extra, cs_host_argument_visitor *visit,
                            void *data) {
  size_t offset, size;
  cs_u64 value;
  int is_library = cs_host_kernel_info(function).is_library;
  const char *buffer = parameters ? NULL : buffer_in(extra);
  if (!parameters && !buffer)
    return;
  CUresult error = CUDA_SUCCESS;
  for (cs_u32 i = 0; !(error = parameter(function, is_library, i, &offset, &size)); i++) {
    const char *from = parameters ? parameters[i] : buffer + offset;
    for (size_t at = 0; from && at + sizeof value <= size; at += sizeof value) {
      memcpy(&value, from + at, sizeof value);
      visit(cs_strip(value), i, size == sizeof value, data);
    }
  }
  if (error != CUDA_ERROR_INVALID_VALUE && error != CUDA_ERROR_NOT_SUPPORTED) /* not the end of the list */
    cs_host_degraded(CS_DEGRADED_CALLS);
}

void cs_host_arguments_check(CUfunction function, void **parameters, void **extra, const char *call) {
  struct launch launch = {NULL, call};
  if (!cs_options()->check_arguments)
    return;
  launch.kernel = cs_host_kernel_info(function).name;
  cs_host_arguments_each(function, parameters, extra, check, &launch);
}
