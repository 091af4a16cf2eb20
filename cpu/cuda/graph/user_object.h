/* user_object.h: objects of the program that graphs hold. */
#ifndef CUSAFE_CPU_USER_OBJECT_H
#define CUSAFE_CPU_USER_OBJECT_H

#include <cuda.h>

struct cs_cpu_graph;

CUresult cs_cpu_user_objects_copy(struct cs_cpu_graph *to, const struct cs_cpu_graph *from);
void cs_cpu_user_objects_drop(struct cs_cpu_graph *graph);

#endif
