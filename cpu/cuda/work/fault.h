/* fault.h: turns a CPU fault inside a kernel, or a kernel that does not end in time, into a CUDA error.
 *
 * A fault in an engine thread cannot be unwound: the handler parks the thread for good, and every device fails with the
 * error, as a GPU's context is lost after an illegal address. Later calls return the error; the process continues.
 * Faults in other threads go to the handler that was installed before (AddressSanitizer's, the program's, the
 * system's).
 *
 * A kernel that waits for a block which has not started never ends, but it does not differ from a slow kernel, or from
 * one that waits for the host. So after a while it is only named; CUSAFE_CPU_TIMEOUT gives it up, with the error of a
 * GPU's watchdog. */
#ifndef CUSAFE_CPU_FAULT_H
#define CUSAFE_CPU_FAULT_H

/* Installs the handlers, the thread that reports faults, and the exit function. Once. 0, or -1 when the system
 * refuses. */
int cs_cpu_fault_install(void);

/* Around a kernel on a device's executor thread. The name must live until the end. `waits`: CS_KERNEL_WAITS. */
void cs_cpu_fault_kernel_begin(int device, const char *name, int waits);
void cs_cpu_fault_kernel_end(int device);

#endif
