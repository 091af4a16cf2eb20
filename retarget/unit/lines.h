/* lines.h: the table of source lines for a debugger: bridge/lines.cpp collects it from the IR, write/lines.c writes it
 * into SPIR-V. */
#ifndef CUSAFE_RETARGET_UNIT_LINES_H
#define CUSAFE_RETARGET_UNIT_LINES_H

/* Marks are calls of functions that do not exist. This one is placed where a line begins: its argument is the line's
 * number in the table. */
#define CS_RT_LINE_MARK "__cusafe_line"

/* And this one declares a variable: the number of its line, its own number, its memory. */
#define CS_RT_VARIABLE_MARK "__cusafe_variable"

/* A function of the source, or a block in one: then `outer` is the enclosing scope. */
struct cs_rt_line_scope {
  char *name, *linkage, *file;
  char *owner; /* the module's function for this scope; NULL if it was inlined */
  unsigned line, outer;
};

struct cs_rt_line {
  unsigned line, column;
  unsigned scope;
  unsigned inlined_at; /* the line of the call that was inlined; 0: none */
};

struct cs_rt_line_type {
  char *name;
  unsigned bits, encoding;   /* DWARF's encoding; unused for pointers */
  unsigned pointer, pointee; /* pointee: the number of a type; 0: void */
};

struct cs_rt_line_variable {
  char *name;
  unsigned type, scope, line, argument; /* argument: its position among the parameters; 0: a local variable */
};

/* Numbers count from 1: 0 is no line, and the back end does not write a constant 0 as OpConstant. */
struct cs_rt_lines {
  struct cs_rt_line_scope *scopes;
  struct cs_rt_line *lines;
  struct cs_rt_line_type *types;
  struct cs_rt_line_variable *variables;
  unsigned scope_count, line_count, type_count, variable_count;
};

#endif
