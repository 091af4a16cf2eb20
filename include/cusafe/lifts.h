/* lifts.h: what a driver that lifts PTX itself, the CPU device's, and libcusafe look up in each other. */
#ifndef CUSAFE_LIFTS_H
#define CUSAFE_LIFTS_H

/* 1: it checks PTX that a program loads, if libcusafe is in the process. 0: it compiles PTX as it is, as NVIDIA's
 * does. */
#define CS_LIFTS_PTX "cusafe_lifts_ptx"
int cusafe_lifts_ptx(void);

/* What has the code of a kernel that was lifted when the program looked it up: a CUlibrary, or a CUmodule if the
 * program has loaded a module. It is a part of the one that the program has loaded, and no call returns it. NULL for
 * other kernels. */
#define CS_LIFTED_PART "cusafe_lifted_part"
typedef void *cs_lifted_part(void *kernel, int *is_library);
cs_lifted_part cusafe_lifted_part;

/* Of libcusafe, for such a driver: what to look for besides errors of memory, as `cusafe lift --detect` takes it. */
#define CS_LIFTS_DETECT "cusafe_lifts_detect"
const char *cusafe_lifts_detect(void);

#endif
