/* lines.h: source lines of a module for a debugger: collected from the IR (bridge_lines.cpp), written into SPIR-V (lines.c). */
#ifndef CUSAFE_RETARGET_LINES_H
#define CUSAFE_RETARGET_LINES_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of this function, which does not exist, stands where a line begins: its argument is the line's number in the table. */
#define CS_LINE_MARK "__cusafe_line"

/* A function of the source, or a part of one that comes from another file: then `outer` is the function's number. */
struct cs_line_scope {
  char *name, *linkage, *file;
  char *owner; /* the function of the module that it is; NULL for one that has been inlined */
  unsigned line, outer;
};

struct cs_line {
  unsigned line, column;
  unsigned scope;
  unsigned inlined_at; /* the line that it was inlined into; 0: none */
};

/* Both count from 1: 0 is no line, and the back end writes a constant 0 in a way of its own. */
struct cs_lines {
  struct cs_line_scope *scopes;
  struct cs_line *lines;
  unsigned scope_count, line_count;
};

/* Fills the table from the module's debug locations, and puts the marks before the instructions. */
void cs_bridge_mark_lines(LLVMModuleRef module, struct cs_lines *lines);

/* The same module with marks turned into lines, in OpenCL.DebugInfo.100; takes the buffer. NULL if it is no SPIR-V. */
LLVMMemoryBufferRef cs_write_lines(LLVMMemoryBufferRef spirv, const struct cs_lines *lines);

#ifdef __cplusplus
}
#endif
#endif
