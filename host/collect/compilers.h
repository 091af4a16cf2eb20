/* compilers.h: NVIDIA's run-time compilers and libraries in the process: one library of each kind, the first that the program reaches. */
#ifndef CUSAFE_HOST_COLLECT_COMPILERS_H
#define CUSAFE_HOST_COLLECT_COMPILERS_H

enum cs_host_compiler {
  CS_HOST_NVRTC,
  CS_HOST_NVJITLINK,
  CS_HOST_CUBLAS,
  CS_HOST_CUFFT,
  CS_HOST_CURAND,
  CS_HOST_COMPILERS
};

/* Whether this function is the library's: the first call decides which library that is. */
int cs_host_compiler_has(enum cs_host_compiler compiler, void *function);

/* The library's own function of this name; NULL if the process has no such library, or the library no such function. */
void *cs_host_compiler_function(enum cs_host_compiler compiler, const char *name);

#endif
