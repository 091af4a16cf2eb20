/* unsupported.c: the one sentence for calls and features that the CPU device does not have. */
#include "cpu/cuda/base/unsupported.h"
#include "report/print.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

/* Features that drivers may lack, and that programs try at their start: the driver's log, and handles of memory for
 * other processes, which the device's attributes deny. */
static int is_optional(const char *name) {
  return strncmp(name, "cuLogs", 6) == 0 || strstr(name, "ShareableHandle");
}

CUresult cs_cpu_unsupported(const char *name) {
  if (is_optional(name))
    return CUDA_ERROR_NOT_SUPPORTED;
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static const char *printed[1024];
  static int count;
  pthread_mutex_lock(&lock);
  int i = 0;
  while (i < count && strcmp(printed[i], name) != 0)
    i++;
  int first = i == count && count < (int)(sizeof printed / sizeof *printed);
  if (first)
    printed[count++] = name;
  pthread_mutex_unlock(&lock);
  if (first)
    cs_report_print(stderr, "cusafe: %s is not supported on the CPU device\n", name);
  return CUDA_ERROR_NOT_SUPPORTED;
}
