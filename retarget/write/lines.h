/* lines.h: source lines of a module for a debugger: collected from the IR (bridge_lines.cpp), written into SPIR-V (lines.c). */
#ifndef CUSAFE_RETARGET_WRITE_LINES_H
#define CUSAFE_RETARGET_WRITE_LINES_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A call of this function, which does not exist, stands where a line begins: its argument is the line's number in the table. */
#define CS_RT_LINE_MARK "__cusafe_line"

/* A call of this one, which does not exist either, says where a variable is: line, number of the variable, its memory. */
#define CS_RT_VARIABLE_MARK "__cusafe_variable"

/* A function of the source, or a block in one: then `outer` is the scope around it. */
struct cs_rt_line_scope {
  char *name, *linkage, *file;
  char *owner; /* the function of the module that it is; NULL for one that has been inlined */
  unsigned line, outer;
};

struct cs_rt_line {
  unsigned line, column;
  unsigned scope;
  unsigned inlined_at; /* the line that it was inlined into; 0: none */
};

struct cs_rt_line_type {
  char *name;
  unsigned bits, encoding;   /* as DWARF has it; not of pointers */
  unsigned pointer, pointee; /* pointee: the number of a type; 0: void */
};

struct cs_rt_line_variable {
  char *name;
  unsigned type, scope, line, argument; /* argument: its place among the parameters; 0: it is none */
};

/* All count from 1: 0 is no line, and the back end writes a constant 0 in a way of its own. */
struct cs_rt_lines {
  struct cs_rt_line_scope *scopes;
  struct cs_rt_line *lines;
  struct cs_rt_line_type *types;
  struct cs_rt_line_variable *variables;
  unsigned scope_count, line_count, type_count, variable_count;
};

/* Fills the table from the module's debug locations, and puts the marks before the instructions. Of the functions in the list, variables are
 * kept as well, on the stack: those of code that was not optimised, with types that have a name or point to one. */
void cs_rt_bridge_mark_lines(LLVMModuleRef module, struct cs_rt_lines *lines, LLVMValueRef *functions, unsigned count);

/* The same module with marks turned into lines, in OpenCL.DebugInfo.100; takes the buffer. NULL if it is no SPIR-V. */
LLVMMemoryBufferRef cs_rt_write_lines(LLVMMemoryBufferRef spirv, const struct cs_rt_lines *lines);

#ifdef __cplusplus
}
#endif
#endif
