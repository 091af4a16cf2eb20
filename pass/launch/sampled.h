/* sampled.h: bare forms of kernels, for launches that are not sampled (`cusafe cc --sampled`).
 *
 * Checked and bare launches of one program share the memory of the device. A checked launch may store pointers with
 * marks (cusafe/layout.h), so a bare form removes the marks of pointers that it loads. Pointers that a bare form stores
 * have no marks, and a checked launch could take one outside its window for one of another buffer: a kernel that may
 * store pointers for later launches has no bare form, and neither has one that calls checked code. */
#ifndef CUSAFE_PASS_LAUNCH_SAMPLED_H
#define CUSAFE_PASS_LAUNCH_SAMPLED_H

#include "pass/module/pass.h"

/* Makes the bare copies (bare.h) that nothing has taken forms, where they may be: they get the forms' names. */
void cs_pass_sampled_make(struct cs_pass *pass);

#endif
