/* library.h: kernels of libraries that the program loads. */
#ifndef CUSAFE_CUDART_LIBRARY_H
#define CUSAFE_CUDART_LIBRARY_H

int cs_cudart_is_library_kernel(const void *handle); /* a kernel of a cudaLibrary_t */

#endif
