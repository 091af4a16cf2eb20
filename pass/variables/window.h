/* window.h: moves a local variable into its own window, whose metadata word follows the variable's scope. */
#ifndef CUSAFE_PASS_VARIABLES_WINDOW_H
#define CUSAFE_PASS_VARIABLES_WINDOW_H

#include "pass/variables/objects.h"

/* Leaves the variable where it is if no window is large enough. */
void cs_pass_window_local(struct cs_pass *pass, struct cs_pass_variable *variable);

#endif
