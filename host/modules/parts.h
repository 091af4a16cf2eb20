/* parts.h: modules and libraries that the driver has made of a part of another: of a large PTX module it lifts kernels when they are wanted, and
 * such a kernel's code is in a module or library that the program has not loaded. */
#ifndef CUSAFE_HOST_MODULES_PARTS_H
#define CUSAFE_HOST_MODULES_PARTS_H

/* Returns 1 if the part was not known before. */
int cs_host_part_add(void *part, void *whole);
/* The module or library that the handle is a part of; the handle itself if it is no part. */
void *cs_host_part_whole(void *handle);
/* Forgets one part of the whole, and returns it; NULL if there is none. */
void *cs_host_part_take(const void *whole);

#endif
