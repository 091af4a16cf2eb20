/* anomaly.h: failures that a test requests with CUSAFE_CPU_ANOMALY (docs/use/cpu-device.md has the grammar). */
#ifndef CUSAFE_CPU_ANOMALY_H
#define CUSAFE_CPU_ANOMALY_H

/* Read by every entry point (procaddr.c): 0 unless the variable requests something that concerns calls. */
extern unsigned char cs_cpu_anomaly_of_calls __attribute__((visibility("hidden")));

/* A call of this entry point begins. Returns 0, or the CUresult that the call must return instead. Any thread. */
int cs_cpu_anomaly_call(const char *symbol) __attribute__((visibility("hidden")));

/* Whether cuMemAddressReserve is to ignore the requested address. */
int cs_cpu_anomaly_no_hints(void);

/* Whether the driver is to compile PTX as it is, as NVIDIA's does. */
int cs_cpu_anomaly_no_lift(void);

/* Sleeps before a task, if streams are to be slow. */
void cs_cpu_anomaly_delay(void);

#endif
