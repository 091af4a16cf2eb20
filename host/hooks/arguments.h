/* arguments.h: kernel arguments that the kernel cannot use (option check_arguments). */
#ifndef CUSAFE_HOST_HOOKS_ARGUMENTS_H
#define CUSAFE_HOST_HOOKS_ARGUMENTS_H

#include "cusafe/layout.h"
#include "host/base/driver.h"

/* Calls visit with every 8-byte value of the arguments that may be a pointer, without CuSafe's marks; is_whole: it is
 * an argument, and not a part of one. */
typedef void cs_host_argument_visitor(cs_u64 value, cs_u32 index, int is_whole, void *data);
void cs_host_arguments_each(CUfunction function, void **parameters, void **extra, cs_host_argument_visitor *visit,
                            void *data);

/* The arguments of a launch, as cuLaunchKernel takes them: parameters, or else the buffer in extra. call: the launching
 * call. */
void cs_host_arguments_check(CUfunction function, void **parameters, void **extra, const char *call);

#endif
