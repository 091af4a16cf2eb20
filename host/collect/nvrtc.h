/* nvrtc.h: the replaced calls of NVRTC, which libcusafe exports under their own names. */
#ifndef CUSAFE_HOST_COLLECT_NVRTC_H
#define CUSAFE_HOST_COLLECT_NVRTC_H

#pragma GCC visibility push(default)
#include <nvrtc.h>
#pragma GCC visibility pop

#endif
