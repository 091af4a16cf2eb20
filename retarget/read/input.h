/* input.h: reads the bitcode of a unit. */
#ifndef CUSAFE_RETARGET_READ_INPUT_H
#define CUSAFE_RETARGET_READ_INPUT_H

#include "retarget/unit/unit.h"

/* Reads and links the files into the unit's module. 0, or -1 after a message. */
int cs_rt_read(struct cs_rt_unit *unit, char **paths, int count);

#endif
