/* operands.h: the memory that an operand of a library's call is: vectors, matrices and triangles of them. Empty for
 * arguments that the library rejects, and for null pointers. Pointers must have lost CuSafe's marks. */
#ifndef CUSAFE_HOST_LIBRARIES_OPERANDS_H
#define CUSAFE_HOST_LIBRARIES_OPERANDS_H

#include "host/findings/span.h"
#include <stdint.h>

/* `count` matrices of rows x columns, column-major, whose columns are `distance` elements apart and which are `stride`
 * elements apart. */
struct cs_host_span cs_host_matrices(enum cs_access access, cs_u64 base, int64_t rows, int64_t columns,
                                     int64_t distance, cs_u64 bytes, int64_t stride, int64_t count);
/* n elements, in either direction: the pointer is the lowest address in both cases. */
struct cs_host_span cs_host_vector(enum cs_access access, cs_u64 base, cs_u64 n, int64_t increment, cs_u64 bytes);
/* Half of a matrix of n x n that is read, with its diagonal unless that is taken to be 1. */
struct cs_host_span cs_host_triangle(cs_u64 base, int is_upper, int is_unit, int64_t n, int64_t distance, cs_u64 bytes);

/* The bytes of a cudaDataType (library_types.h); 0 if it is not known. */
cs_u64 cs_host_type_bytes(int type);
/* Whether a number in host memory differs from 0. */
int cs_host_is_nonzero(const void *number, cs_u64 bytes);
/* Whether alpha is known not to be 0: mode_of, or NULL, is the library's call that reports whether it is in device
 * memory, where its value is not known. */
int cs_host_is_scaled(int (*mode_of)(void *handle, int *is_device), void *handle, const void *alpha, cs_u64 bytes);

#endif
