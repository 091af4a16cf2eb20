/* shared.h: whether a block's static shared memory has room for one more metadata word. */
#ifndef CUSAFE_PASS_VARIABLES_SHARED_H
#define CUSAFE_PASS_VARIABLES_SHARED_H

#include "pass/variables/objects.h"

/* Notes which kernel each shared variable belongs to. Before cs_pass_shared_has_room(). */
void cs_pass_shared_find_kernels(struct cs_pass *pass);

/* 1 if a prefix of this many bytes before the variable keeps the block within its static shared memory. */
int cs_pass_shared_has_room(const struct cs_pass *pass, const struct cs_pass_variable *variable, cs_u32 prefix);

#endif
