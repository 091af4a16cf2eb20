/* context.h: the life of contexts. */
#ifndef CUSAFE_CPU_CONTEXT_H
#define CUSAFE_CPU_CONTEXT_H

struct cs_cpu_context;
struct cs_cpu_device;

struct cs_cpu_context *cs_cpu_context_new(struct cs_cpu_device *device, unsigned flags);
/* Brings a new or a reset context to life. */
void cs_cpu_context_open(struct cs_cpu_context *context, unsigned flags);
/* Ends a context: waits for its work, and frees what belongs to it. */
void cs_cpu_context_close(struct cs_cpu_context *context);
int cs_cpu_context_flags_valid(unsigned flags);

#endif
