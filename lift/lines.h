/* lines.h: source locations. */
#ifndef CUSAFE_LIFT_LINES_H
#define CUSAFE_LIFT_LINES_H

#include "lift/unit.h"

/* Removes the lines that LLVM writes for inline assembly. */
void cs_lift_forget_asm_lines(char *text);
/* Reads .file and .debug_str; starts the compile unit. */
void cs_lift_start_lines(struct cs_lift_unit *unit);
/* Gives the function a DISubprogram. */
void cs_lift_start_function_lines(struct cs_lift_function *f);
/* .loc: the location of all code that follows. */
void cs_lift_set_line(struct cs_lift_function *f, const struct cs_ptx_loc *loc);

#endif
