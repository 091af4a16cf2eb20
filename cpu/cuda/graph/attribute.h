/* attribute.h: launch attributes of streams and kernel nodes. An array of values is NULL until one is set. */
#ifndef CUSAFE_CPU_ATTRIBUTE_H
#define CUSAFE_CPU_ATTRIBUTE_H

#include <cuda.h>

CUresult cs_cpu_attribute_set(CUlaunchAttributeValue **values, CUlaunchAttributeID id,
                              const CUlaunchAttributeValue *value);
CUresult cs_cpu_attribute_get(CUlaunchAttributeValue *const *values, CUlaunchAttributeID id,
                              CUlaunchAttributeValue *value);
CUresult cs_cpu_attributes_copy(CUlaunchAttributeValue **to, CUlaunchAttributeValue *const *from);

#endif
