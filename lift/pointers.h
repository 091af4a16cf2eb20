/* pointers.h: rewriting proven addresses as pointers. */
#ifndef CUSAFE_LIFT_POINTERS_H
#define CUSAFE_LIFT_POINTERS_H

#include "lift/web.h"

void cs_lift_write_pointers(struct cs_lift_web *web);

#endif
