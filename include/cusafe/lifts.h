/* lifts.h: a function that a driver exports if it lifts PTX itself, which libcusafe looks up: the CPU device's. Its result is not 0. */
#ifndef CUSAFE_LIFTS_H
#define CUSAFE_LIFTS_H

#define CS_LIFTS_PTX "cusafe_lifts_ptx"
int cusafe_lifts_ptx(void);

#endif
