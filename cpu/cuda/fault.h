/* fault.h: turns a CPU fault inside a kernel into a CUDA error.
 *
 * A fault in an engine thread cannot be unwound: the thread is parked for good in the signal handler, and every device is
 * failed with the error, as a GPU's context is lost after an illegal address. Later calls return the error; the process
 * goes on. Faults anywhere else go to whoever handled the signal before (AddressSanitizer, the program, the system).
 *
 * Engine threads are told apart by their name: a thread inherits the name of the one that starts it, so whoever calls the
 * engine where it may start threads carries CS_CPU_THREAD_ENGINE as its name meanwhile. */
#ifndef CUSAFE_CPU_FAULT_H
#define CUSAFE_CPU_FAULT_H

#include <cuda.h>

#define CS_CPU_THREAD_NAME_BYTES 16
#define CS_CPU_THREAD_ENGINE "cusafe-engine"
#define CS_CPU_THREAD_HOST "cusafe-host" /* an executor thread while it runs the program's own functions */

/* Installs the handlers, the thread that reports faults and the way out of exit(). Once. 0, or -1 when the system refuses. */
int cs_cpu_fault_install(void);

/* Around engine calls on threads that are not ours; saved receives the thread's own name. */
void cs_cpu_fault_enter_engine(char saved[CS_CPU_THREAD_NAME_BYTES]);
void cs_cpu_fault_leave_engine(const char saved[CS_CPU_THREAD_NAME_BYTES]);

/* Around a kernel on a device's executor thread. The name must live until the end. */
void cs_cpu_fault_kernel_begin(int device, const char *name);
void cs_cpu_fault_kernel_end(int device);

#endif
