/* matrix_apart.c: the operations of matrix.c for lanes that meet in memory. */
#define CR_APART
#include "matrix.c"
