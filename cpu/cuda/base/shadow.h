/* shadow.h: tells libcusafe what writes to memory besides kernels that maintain the shadow of cusafe/init.h, in the
 * order of the streams, as the work is executed. Nothing in a process without libcusafe. */
#ifndef CUSAFE_CPU_SHADOW_H
#define CUSAFE_CPU_SHADOW_H

#include <stddef.h>
#include <stdint.h>

/* When the driver starts. */
void cs_cpu_shadow_start(void);

/* Before a copy, before a fill, before a kernel that maintains the shadow, and after a kernel or a host function whose
 * writes are unknown. */
void cs_cpu_shadow_copied(uint64_t to, uint64_t from, size_t bytes);
void cs_cpu_shadow_filled(uint64_t to, size_t bytes);
void cs_cpu_shadow_launching(void);
void cs_cpu_shadow_unseen(void);

#endif
