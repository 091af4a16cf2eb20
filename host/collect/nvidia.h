/* nvidia.h: NVIDIA's run-time compilers and libraries in the process: one library of each kind, the first that the
 * program reaches. */
#ifndef CUSAFE_HOST_COLLECT_NVIDIA_H
#define CUSAFE_HOST_COLLECT_NVIDIA_H

enum cs_host_nvidia {
  CS_HOST_NVRTC,
  CS_HOST_NVJITLINK,
  CS_HOST_CUBLAS,
  CS_HOST_CUBLASLT,
  CS_HOST_CUFFT,
  CS_HOST_CURAND,
  CS_HOST_CUSPARSE,
  CS_HOST_CUSOLVER,
  CS_HOST_NVIDIA_LIBRARIES
};

/* Whether this function is the library's: the first call decides which library that is. */
int cs_host_nvidia_has(enum cs_host_nvidia library, void *function);

/* The library's own function of this name; NULL if the process has no such library, or the library no such function. */
void *cs_host_nvidia_function(enum cs_host_nvidia library, const char *name);
/* The same; a function that was found is kept in *slot, whose user always asks for this one. */
void *cs_host_nvidia_function_once(enum cs_host_nvidia library, const char *name, void **slot);
/* The result of a call that no library of the process has: prints once what the program lacks, and returns `result`. */
int cs_host_nvidia_missing(enum cs_host_nvidia library, const char *name, int result);

#endif
