/* nvrtc.c: NVRTC: programs are compiled with line information, and a program's PTX is the answer to a request for its
 * cubin. */
#include "host/collect/nvrtc.h"
#include "host/base/driver.h"
#include "host/collect/lift.h"
#include "host/collect/nvidia.h"
#include "options/process.h"
#include <stdlib.h>
#include <string.h>

/* The real function, with the type of its declaration. */
#define REAL(name) ((__typeof__(&name))cs_host_nvidia_function(CS_HOST_NVRTC, #name))

static int has_lines(int count, const char *const *options) {
  static const char *const names[] = {"-lineinfo", "--generate-line-info", "-G", "--device-debug"};
  for (int i = 0; i < count; i++)
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
      if (options[i] && strcmp(options[i], names[k]) == 0)
        return 1;
  return 0;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char *const *options) {
  __typeof__(&nvrtcCompileProgram) real = REAL(nvrtcCompileProgram);
  if (!real)
    return NVRTC_ERROR_INTERNAL_ERROR;
  int plain = !cs_host_lifts() || count < 0 || (count && !options) || has_lines(count, options);
  const char **all = plain ? NULL : malloc(((size_t)count + 1) * sizeof *all);
  if (!all)
    return real(program, count, options);
  if (count)
    memcpy(all, options, (size_t)count * sizeof *all);
  all[count] = "-lineinfo";
  nvrtcResult result = real(program, count + 1, all);
  free(all);
  return result;
}

/* A driver that does not lift gets PTX in place of a cubin only if it accepts NVRTC's, and if CuSafe will lift it: not
 * if it is large, nor if it is to be linked, where only a cubin is accepted. */
static int is_liftable(nvrtcProgram program, size_t bytes) {
  __typeof__(&nvrtcVersion) version = REAL(nvrtcVersion);
  __typeof__(&nvrtcGetPTX) get = REAL(nvrtcGetPTX);
  int major = 0, minor = 0;
  if (cs_host_driver_lifts())
    return 1;
  if (!cs_host_lifts() || !version || !get || version(&major, &minor) != NVRTC_SUCCESS ||
      cs_host_driver_version() < major * 1000 + minor * 10 || bytes > (size_t)cs_options()->lift_bytes)
    return 0;
  char *ptx = malloc(bytes);
  int liftable = ptx && get(program, ptx) == NVRTC_SUCCESS && !strstr(ptx, ".visible .func");
  free(ptx);
  return liftable;
}

/* Whether the program was compiled to a cubin: then there is PTX, too. NVRTC answers 0 bytes for a virtual
 * architecture. Without checks for PTX the program gets the cubin. */
static int has_cubin(nvrtcProgram program) {
  __typeof__(&nvrtcGetCUBINSize) real = REAL(nvrtcGetCUBINSize);
  __typeof__(&nvrtcGetPTXSize) ptx = REAL(nvrtcGetPTXSize);
  size_t bytes = 0;
  return real && ptx && real(program, &bytes) == NVRTC_SUCCESS && bytes && ptx(program, &bytes) == NVRTC_SUCCESS &&
         bytes > 1 && is_liftable(program, bytes);
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes) {
  __typeof__(&nvrtcGetCUBINSize) real = has_cubin(program) ? REAL(nvrtcGetPTXSize) : REAL(nvrtcGetCUBINSize);
  return real ? real(program, bytes) : NVRTC_ERROR_INTERNAL_ERROR;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *code) {
  __typeof__(&nvrtcGetCUBIN) real = has_cubin(program) ? REAL(nvrtcGetPTX) : REAL(nvrtcGetCUBIN);
  return real ? real(program, code) : NVRTC_ERROR_INTERNAL_ERROR;
}
