/* lines.h: writes source lines into a SPIR-V module. */
#ifndef CUSAFE_RETARGET_WRITE_LINES_H
#define CUSAFE_RETARGET_WRITE_LINES_H

#include "retarget/unit/lines.h"
#include <llvm-c/Core.h>

/* The module with its marks replaced by lines, in OpenCL.DebugInfo.100; consumes the buffer. NULL if it is not
 * SPIR-V. */
LLVMMemoryBufferRef cs_rt_write_lines(LLVMMemoryBufferRef spirv, const struct cs_rt_lines *lines);

#endif
