/* pieces.h: pieces of dynamic shared memory that a program declares (cusafe/cusafe.h). */
#ifndef CUSAFE_PASS_VARIABLES_PIECES_H
#define CUSAFE_PASS_VARIABLES_PIECES_H

#include "pass/module/pass.h"

/* Before functions are inlined: each piece gets its bounds from the device runtime. */
int cs_pass_bound_pieces(struct cs_pass *pass);

#endif
