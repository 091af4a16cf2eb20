/* arguments.h: kernel arguments that the kernel cannot use (option check_arguments). */
#ifndef CUSAFE_HOST_HOOKS_ARGUMENTS_H
#define CUSAFE_HOST_HOOKS_ARGUMENTS_H

#include "host/base/driver.h"

/* The arguments of a launch, as cuLaunchKernel takes them: parameters, or else the buffer in extra. call: the launching call. */
void cs_host_arguments_check(CUfunction function, void **parameters, void **extra, const char *call);

#endif
