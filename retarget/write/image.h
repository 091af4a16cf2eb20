/* image.h: writes the device image of include/cusafe/image.h. */
#ifndef CUSAFE_RETARGET_WRITE_IMAGE_H
#define CUSAFE_RETARGET_WRITE_IMAGE_H

#include "retarget/unit/unit.h"

/* debugged: the same program for a debugger; NULL if there is none. 0, or -1 after a message. */
int cs_rt_write_image(const struct cs_rt_unit *unit, const struct cs_rt_unit *debugged, const char *path);
/* The SPIR-V of a unit without kernels. */
int cs_rt_write_code(const struct cs_rt_unit *unit, const char *path);

#endif
