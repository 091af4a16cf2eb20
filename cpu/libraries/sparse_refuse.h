/* sparse_refuse.h: calls of cuSPARSE that are there, but not for these arguments, or not on this machine. */
#ifndef CUSAFE_CPU_LIBRARIES_SPARSE_REFUSE_H
#define CUSAFE_CPU_LIBRARIES_SPARSE_REFUSE_H

/* The call fails with CUSPARSE_STATUS_NOT_SUPPORTED, which is returned, and is stated. is_work: it computes. */
int cs_sparse_refuse(const char *call, int is_work, const char *reason);

#endif
