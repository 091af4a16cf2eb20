/* launch.h: a launch of a kernel, as the program makes it. */
#ifndef CUSAFE_HOST_LAUNCH_LAUNCH_H
#define CUSAFE_HOST_LAUNCH_LAUNCH_H

#include "cusafe/layout.h"
#include "host/base/driver.h"

struct cs_host_launch {
  CUfunction function;
  cs_u32 grid[3], block[3], dynamic;
  CUstream stream; /* CU_STREAM_PER_THREAD where the program passes 0 for it */
  void **parameters, **extra;
};

#endif
