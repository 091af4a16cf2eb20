/* numbers.c: reads and writes numbers of every type. */
#include "cpu/libraries/numbers.h"
#include <math.h>
#include <string.h>

size_t cs_number_bytes(int type) {
  switch (type) {
  case CS_R_8I:
    return 1;
  case CS_R_16F:
  case CS_R_16BF:
    return 2;
  case CS_R_32F:
  case CS_R_32I:
    return 4;
  case CS_R_64F:
  case CS_C_32F:
    return 8;
  case CS_C_64F:
    return 16;
  default:
    return 0;
  }
}

int cs_number_is_complex(int type) {
  return type == CS_C_32F || type == CS_C_64F;
}

static float from_bfloat(uint16_t bits) {
  uint32_t wide = (uint32_t)bits << 16;
  float number;
  memcpy(&number, &wide, sizeof number);
  return number;
}

/* To the nearest, and of two to the even one; a NaN stays one. */
static uint16_t to_bfloat(float number) {
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  if (isnan(number))
    return (uint16_t)(bits >> 16 | 0x40);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

double complex cs_number_load(int type, const void *from, size_t i) {
  switch (type) {
  case CS_R_8I:
    return ((const int8_t *)from)[i];
  case CS_R_16F:
    return ((const _Float16 *)from)[i];
  case CS_R_16BF:
    return from_bfloat(((const uint16_t *)from)[i]);
  case CS_R_32F:
    return ((const float *)from)[i];
  case CS_R_32I:
    return ((const int32_t *)from)[i];
  case CS_R_64F:
    return ((const double *)from)[i];
  case CS_C_32F:
    return ((const float complex *)from)[i];
  case CS_C_64F:
    return ((const double complex *)from)[i];
  default:
    return 0;
  }
}

/* Integers wrap, as a sum of 32 bits does. */
static int64_t to_integer(double number) {
  return fabs(number) < 0x1p62 ? llrint(number) : 0;
}

void cs_number_store(int type, void *to, size_t i, double complex number) {
  switch (type) {
  case CS_R_8I:
    ((int8_t *)to)[i] = (int8_t)to_integer(creal(number));
    break;
  case CS_R_16F:
    ((_Float16 *)to)[i] = (_Float16)creal(number);
    break;
  case CS_R_16BF:
    ((uint16_t *)to)[i] = to_bfloat((float)creal(number));
    break;
  case CS_R_32F:
    ((float *)to)[i] = (float)creal(number);
    break;
  case CS_R_32I:
    ((int32_t *)to)[i] = (int32_t)to_integer(creal(number));
    break;
  case CS_R_64F:
    ((double *)to)[i] = creal(number);
    break;
  case CS_C_32F:
    ((float complex *)to)[i] = (float complex)number;
    break;
  case CS_C_64F:
    ((double complex *)to)[i] = number;
    break;
  default:
    break;
  }
}
