/* limits.h: the figures of the CPU device, which attributes.inc reports and the calls enforce. */
#ifndef CUSAFE_CPU_LIMITS_H
#define CUSAFE_CPU_LIMITS_H

#include <stddef.h>

#define CS_CPU_DRIVER_VERSION 13000
#define CS_CPU_MAX_DEVICES 16
#define CS_CPU_WARP 32
#define CS_CPU_MAX_THREADS 1024 /* in a block */
#define CS_CPU_SHARED_DEFAULT ((size_t)48 << 10)
#define CS_CPU_GRANULARITY ((size_t)2 << 20) /* of virtual memory management */
#define CS_CPU_PITCH 512
#define CS_CPU_PRIORITY_GREATEST (-5)

#endif
