/* sample.h: decides by chance which launches run with their checks (options sample, sample_processes and control). Any
 * thread, without a lock. */
#ifndef CUSAFE_HOST_LAUNCH_SAMPLE_H
#define CUSAFE_HOST_LAUNCH_SAMPLE_H

/* Whether launches may run without checks, now or later. */
int cs_host_sample_is_on(void);

/* From now on: option control. A process that sample_processes has not chosen stays without checks. */
void cs_host_sample_set(double probability, int first_launches);

/* Whether this launch runs with its checks. Each call counts one launch of the thread. */
int cs_host_sample_takes(void);

/* How many first launches of a kernel and launch shape run with their checks (option sample_first); 0 while sampling
 * is off in this process. */
unsigned cs_host_sample_first(void);

#endif
