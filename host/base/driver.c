/* driver.c: finds the real driver. */
#include "host/base/driver.h"
#include "cusafe/lifts.h"
#include "cusafe/refused.h"
#include "host/base/inside.h"
#include "host/base/loader.h"
#include "host/base/lock.h"
#include <dlfcn.h>
#include <string.h>

_Thread_local int cs_host_inside_depth __attribute__((tls_model("initial-exec")));
int cs_host_inherited;

#ifdef CUSAFE_LOCK_CHECKS
/* What injects failures in tests reports each one here. */
void cusafe_failure_injected(void);
__attribute__((visibility("default"))) void cusafe_failure_injected(void) {
  if (cs_host_inside())
    cs_host_owes();
}
#endif

struct cs_host_driver cs_host_found_driver;
static int present, lifts;
static cs_lifted_part *lifted_part;
static cs_refused *refused;

static const struct {
  const char *symbol;
  size_t offset;
} entries[] = {
#define CS_HOST_HOOK(action, name, edition, variant, version, ...)                                                     \
  {"cu" #name #edition #variant, offsetof(struct cs_host_driver, cu##name##edition##variant)},
#define CS_HOST_CALL(name, edition, version) {"cu" #name #edition, offsetof(struct cs_host_driver, cu##name##edition)},
#include "host/base/calls.inc"
};

/* As CuSafe's own code calls it: in builds with CUSAFE_LOCK_CHECKS, the calls of waits.inc prove first that this thread
 * holds no lock. */
static struct cs_host_driver proven;

#ifdef CUSAFE_LOCK_CHECKS
#define CS_HOST_WAITS(name, parameters, arguments)                                                                     \
  static CUresult CUDAAPI proven_##name parameters {                                                                   \
    cs_host_lock_none_held(#name);                                                                                     \
    return cs_host_found_driver.name arguments;                                                                        \
  }
#include "host/base/waits.inc"

static void prove_waits(void) {
  proven = cs_host_found_driver;
#define CS_HOST_WAITS(name, parameters, arguments)                                                                     \
  if (cs_host_found_driver.name)                                                                                       \
    proven.name = proven_##name;
#include "host/base/waits.inc"
}
#else
static void prove_waits(void) {
  proven = cs_host_found_driver;
}
#endif

/* The libcuda that the program has loaded, from whatever path: the loader compares sonames. */
static void *open_driver(void) {
  void *handle = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
  return handle ? handle : dlopen("libcuda.so.1", RTLD_LAZY);
}

static void find_driver(void) {
  void *handle = open_driver();
  if (!handle)
    return;
  present = 1;
  int (*ask)(void) = (int (*)(void))cs_host_real_dlsym(handle, CS_LIFTS_PTX);
  lifts = ask && ask();
  lifted_part = (cs_lifted_part *)cs_host_real_dlsym(handle, CS_LIFTED_PART);
  refused = (cs_refused *)cs_host_real_dlsym(handle, CS_REFUSED);
  for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
    void *function = cs_host_real_dlsym(handle, entries[i].symbol);
    memcpy((char *)&cs_host_found_driver + entries[i].offset, &function, sizeof function);
  }
  prove_waits();
}

const struct cs_host_driver *cs_host_driver_of_program(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  static int found; /* spares pthread_once: every interposed call gets here several times */
  if (__atomic_load_n(&found, __ATOMIC_ACQUIRE))
    return &cs_host_found_driver;
  pthread_once(&once, find_driver);
  __atomic_store_n(&found, 1, __ATOMIC_RELEASE);
  return &cs_host_found_driver;
}

const struct cs_host_driver *cs_host_driver(void) {
  cs_host_driver_of_program();
  return &proven;
}

int cs_host_driver_present(void) {
  cs_host_driver();
  return present;
}

int cs_host_driver_lifts(void) {
  cs_host_driver();
  return lifts;
}

int cs_host_driver_version(void) {
  int version = 0;
  PFN_cuDriverGetVersion_v2020 get = cs_host_driver()->cuDriverGetVersion;
  return get && get(&version) == CUDA_SUCCESS ? version : 0;
}

int cs_host_driver_refused(void) {
  return refused && refused();
}

void *cs_host_driver_part(void *kernel, int *is_library) {
  cs_host_driver();
  return lifted_part ? lifted_part(kernel, is_library) : NULL;
}

int cs_host_is_sticky(CUresult result) {
  switch (result) {
  case CUDA_ERROR_ILLEGAL_ADDRESS:
  case CUDA_ERROR_LAUNCH_TIMEOUT:
  case CUDA_ERROR_ASSERT:
  case CUDA_ERROR_HARDWARE_STACK_ERROR:
  case CUDA_ERROR_ILLEGAL_INSTRUCTION:
  case CUDA_ERROR_MISALIGNED_ADDRESS:
  case CUDA_ERROR_INVALID_ADDRESS_SPACE:
  case CUDA_ERROR_INVALID_PC:
  case CUDA_ERROR_LAUNCH_FAILED:
    return 1;
  default:
    return 0;
  }
}
