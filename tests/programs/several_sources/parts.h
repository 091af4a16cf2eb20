// parts.h: the host functions that the sources of this program define.
#ifndef PARTS_H
#define PARTS_H
void scale_on_device(int *device, int n, int factor);
void offset_on_device(int *device, int n, int offset);
int launches_of_scale();
#endif
