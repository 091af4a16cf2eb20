/* view.h: host stacks as users see them: without the frames of CuSafe, the runtime and the driver. */
#ifndef CUSAFE_HOST_STACKS_VIEW_H
#define CUSAFE_HOST_STACKS_VIEW_H

#include "report/finding.h"

/* The stack without the innermost frames that are not the user's, except one for the call that the user made: it has
 * the call's name, or is marked as the toolkit's if frames have no names. Changes the frames, which are innermost
 * first. */
struct cs_stack cs_host_view(struct cs_source *frames, size_t count);

/* Removes the compiler's launch stub from a launch's stack: it has the kernel's name and line, and calls the runtime.
 * Changes the frames. kernel: demangled, or NULL. */
void cs_host_view_drop_stub(struct cs_stack *stack, const char *kernel);

/* Whether it is the file of CuSafe, the driver or the shared CUDA runtime. NULL is none. */
int cs_host_view_is_internal(const char *module);

/* The last component of the frame's module, or NULL. */
const char *cs_host_view_file(const struct cs_source *frame);

#endif
