/* threads.h: which threads run kernels.
 *
 * A thread inherits the name of the one that starts it, so every thread that calls the engine where the engine may
 * start threads has the name CS_CPU_THREAD_ENGINE meanwhile. Fault handlers recognise the engine's threads by that
 * name. */
#ifndef CUSAFE_CPU_THREADS_H
#define CUSAFE_CPU_THREADS_H

#define CS_CPU_THREAD_NAME_BYTES 16
#define CS_CPU_THREAD_ENGINE "cusafe-engine"
#define CS_CPU_THREAD_HOST "cusafe-host" /* an executor thread while it runs a host function of the program */

/* Around engine calls on the program's threads; saved receives the thread's own name. */
void cs_cpu_thread_enter_engine(char saved[CS_CPU_THREAD_NAME_BYTES]);
void cs_cpu_thread_leave_engine(const char saved[CS_CPU_THREAD_NAME_BYTES]);
/* Whether the calling thread has the name of the engine's threads. */
int cs_cpu_thread_is_engine(void);

/* The calling thread is an executor from now on. */
void cs_cpu_thread_become_executor(void);
int cs_cpu_in_executor(void);
/* Around host functions of the program on an executor: a fault in one belongs to the program. */
void cs_cpu_thread_enter_host(void);
void cs_cpu_thread_leave_host(void);

#endif
