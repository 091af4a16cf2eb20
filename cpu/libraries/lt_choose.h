/* lt_choose.h: which products cuBLASLt computes. */
#ifndef CUSAFE_CPU_LIBRARIES_LT_CHOOSE_H
#define CUSAFE_CPU_LIBRARIES_LT_CHOOSE_H

#include "cpu/libraries/lt.h"

/* The kind and the sizes of a product. */
struct cs_lt_kind {
  int work; /* the cudaDataType that OpenBLAS computes with */
  int64_t m, n, k;
};
/* Sets *kind. Returns a cublasStatus_t; what cuBLASLt has, but not the CPU device, is refused in the name of the call.
 * is_work: the call computes. */
int cs_lt_choose(const char *call, int is_work, const struct cs_lt_operation *operation, const struct cs_lt_layout *a,
                 const struct cs_lt_layout *b, const struct cs_lt_layout *c, const struct cs_lt_layout *d,
                 struct cs_lt_kind *kind);

/* Returns a cublasStatus_t for a matrix, which is refused in the name of the call if it has another order or batch. */
int cs_lt_check_layout(const char *call, int is_work, const struct cs_lt_layout *layout);

#endif
