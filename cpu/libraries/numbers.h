/* numbers.h: elements of all types that the libraries' matrices have, as complex numbers of double precision. */
#ifndef CUSAFE_CPU_LIBRARIES_NUMBERS_H
#define CUSAFE_CPU_LIBRARIES_NUMBERS_H

#include <complex.h>
#include <stddef.h>
#include <stdint.h>

/* cudaDataType, with the values of library_types.h. */
enum cs_number {
  CS_R_32F = 0,
  CS_R_64F = 1,
  CS_R_16F = 2,
  CS_R_8I = 3,
  CS_C_32F = 4,
  CS_C_64F = 5,
  CS_R_32I = 10,
  CS_R_16BF = 14
};

/* Its size; 0 for a type that is not in the list. */
size_t cs_number_bytes(int type);
int cs_number_is_complex(int type);
/* Element i of an array, and an element rounded to the nearest number of its type. */
double complex cs_number_load(int type, const void *from, size_t i);
void cs_number_store(int type, void *to, size_t i, double complex number);

#endif
