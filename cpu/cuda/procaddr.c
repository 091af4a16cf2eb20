/* procaddr.c: cuGetProcAddress: from a name and a version to an entry point. */
#include "cpu/cuda/base/limits.h"
#include <cudaProfiler.h>
#include <string.h>

/* Defined in unsupported_calls.c, which does not see cuda.h. */
#define CS_UNSUPPORTED(name, symbol, since) extern CUresult cs_cpu_address_of_##symbol(void) __asm__(#symbol);
#define CS_UNSUPPORTED_STREAM(name, symbol, since) CS_UNSUPPORTED(name, symbol, since)
#include "cpu/cuda/unsupported.inc"
#undef CS_UNSUPPORTED
#undef CS_UNSUPPORTED_STREAM

struct entry {
  const char *name;
  void *address;
  int since;
  int per_thread;
};

static const struct entry entries[] = {
#define CS_CPU_API(name, symbol, since) {#name, (void *)symbol, since, 0},
#define CS_CPU_API_STREAM(name, symbol, since, per_thread, since2)                                                     \
  {#name, (void *)symbol, since, 0}, {#name, (void *)per_thread, since2, 1},
#include "cpu/cuda/api.inc"
#undef CS_CPU_API
#undef CS_CPU_API_STREAM
#define CS_UNSUPPORTED(name, symbol, since) {#name, (void *)cs_cpu_address_of_##symbol, since, 0},
#define CS_UNSUPPORTED_STREAM(name, symbol, since) {#name, (void *)cs_cpu_address_of_##symbol, since, 1},
#include "cpu/cuda/unsupported.inc"
#undef CS_UNSUPPORTED
#undef CS_UNSUPPORTED_STREAM
};

/* The newest entry that is not newer than the version. A per-thread form takes precedence where the caller requests
 * one. */
static const struct entry *find(const char *name, int version, int per_thread, int *known) {
  const struct entry *best = NULL;
  *known = 0;
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    const struct entry *entry = &entries[i];
    if (strcmp(entry->name, name) != 0)
      continue;
    *known = 1;
    if (entry->since > version || (entry->per_thread && !per_thread))
      continue;
    int newer = !best || entry->per_thread > best->per_thread ||
                (entry->per_thread == best->per_thread && entry->since > best->since);
    best = newer ? entry : best;
  }
  return best;
}

CUresult cuGetProcAddress_v2(const char *symbol, void **address, int version, cuuint64_t flags,
                             CUdriverProcAddressQueryResult *status) {
  const cuuint64_t known_flags = CU_GET_PROC_ADDRESS_LEGACY_STREAM | CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM;
  if (!symbol || !address || version > CS_CPU_DRIVER_VERSION || (flags & ~known_flags) || flags == known_flags)
    return CUDA_ERROR_INVALID_VALUE;
  int known;
  int per_thread = (flags & CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) != 0;
  const struct entry *entry = find(symbol, version, per_thread, &known);
  *address = entry ? entry->address : NULL;
  if (status)
    *status = entry   ? CU_GET_PROC_ADDRESS_SUCCESS
              : known ? CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT
                      : CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND;
  return CUDA_SUCCESS;
}

CUresult cuGetProcAddress(const char *symbol, void **address, int version, cuuint64_t flags) {
  CUdriverProcAddressQueryResult status;
  CUresult result = cuGetProcAddress_v2(symbol, address, version, flags, &status);
  return result == CUDA_SUCCESS && status != CU_GET_PROC_ADDRESS_SUCCESS ? CUDA_ERROR_NOT_FOUND : result;
}

/* Export tables are private to NVIDIA's own libraries. */
CUresult cuGetExportTable(const void **table, const CUuuid *id) {
  (void)id;
  if (table)
    *table = NULL;
  return CUDA_ERROR_NOT_SUPPORTED;
}
