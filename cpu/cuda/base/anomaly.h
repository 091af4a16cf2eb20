/* anomaly.h: failures that a test requests with CUSAFE_CPU_ANOMALY (docs/use/cpu-device.md has the grammar). */
#ifndef CUSAFE_CPU_ANOMALY_H
#define CUSAFE_CPU_ANOMALY_H

/* Read by every entry point (procaddr.c): 0 unless the variable requests something that concerns calls. */
extern unsigned char cs_cpu_anomaly_of_calls __attribute__((visibility("hidden")));

/* A call of this entry point begins. Returns 0, or the CUresult that the call must return instead. Any thread. */
int cs_cpu_anomaly_call(const char *symbol) __attribute__((visibility("hidden")));

/* How the driver differs from what libcusafe assumes. All are as usual unless the variable requests otherwise. */
struct cs_cpu_anomalies {
  long version;      /* of the driver: 13000 is 13.0 */
  long granularity;  /* of virtual memory, in bytes */
  long mappings;     /* at most this many at a time; 0: no limit */
  long slow_map;     /* milliseconds of each cuMemMap and cuMemUnmap */
  long taken;        /* windows with tags up to this one cannot be reserved */
  long no_vmm;       /* the device without virtual memory management, from 1; 0: none */
  long no_hints;     /* cuMemAddressReserve ignores the requested address */
  long one_mapping;  /* physical memory can be mapped once */
  long no_read_only; /* cuMemSetAccess refuses mappings without write access */
  long unreadable;   /* such mappings cannot be read, although cuMemSetAccess succeeds */
};
const struct cs_cpu_anomalies *cs_cpu_anomalies(void);

/* Whether cuMemAddressReserve is to ignore the requested address. */
int cs_cpu_anomaly_refuses(unsigned long long address);
/* Sleeps in a cuMemMap or cuMemUnmap that is to be slow. */
void cs_cpu_anomaly_map(void);

/* Whether the driver is to compile PTX as it is, as NVIDIA's does. */
int cs_cpu_anomaly_no_lift(void);

/* Sleeps before a task, if streams are to be slow. */
void cs_cpu_anomaly_delay(void);

#endif
