/* crash.h: what to print if the engine crashes while it compiles. */
#ifndef CUSAFE_CPU_CRASH_H
#define CUSAFE_CPU_CRASH_H

/* Around a compilation on the calling thread. `kernel` is the mangled name; NULL for a module of variables. `others`:
 * other kernels are compiled with it. */
void cs_cpu_crash_begin(const char *kernel, int others);
void cs_cpu_crash_end(void);

/* From a signal handler: prints a sentence if the calling thread is compiling. Returns whether it was. */
int cs_cpu_crash_print(void);

#endif
