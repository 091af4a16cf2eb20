/* solver_refuse.h: calls of cuSOLVER that are there, but not for these arguments, or not on this machine. */
#ifndef CUSAFE_CPU_LIBRARIES_SOLVER_REFUSE_H
#define CUSAFE_CPU_LIBRARIES_SOLVER_REFUSE_H

/* The call fails with CUSOLVER_STATUS_NOT_SUPPORTED, which is returned, and is stated. is_work: it computes. */
int cs_solver_refuse(const char *call, int is_work, const char *reason);

#endif
