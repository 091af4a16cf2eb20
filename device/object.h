/* object.h: variables whose addresses escape: attaching bounds to a pointer (the pass calls these), and finding them
 * again. */
#ifndef CUSAFE_DEVICE_OBJECT_H
#define CUSAFE_DEVICE_OBJECT_H

#include "device/attributes.h"

/* A local variable's scope begins and ends. The window is aligned to its size, and the variable follows the prefix: see
 * cusafe/object.h. */
void __cs_local_begin(void *window, cs_u64 size, cs_u32 prefix_log2);
void __cs_local_end(void *window);

/* The escaping form of a pointer derived from a variable that is named here. */
void *__cs_close_local(void *pointer, void *window, cs_u32 tag);
void *__cs_close_shared(void *pointer, void *start, cs_u64 size); /* start: after the prefix; writes the word */
void *__cs_close_dynamic(void *pointer);
/* A pointer to a piece of dynamic shared memory, whose metadata word is before it. */
void *__cs_shared_piece(void *start, cs_u64 bytes);
void *__cs_close_variable(void *pointer, cs_u32 number);

/* The generic address and the size of the launch's dynamic shared memory. */
cs_u64 __cs_dynamic_start(void);
cs_u64 __cs_dynamic_size(void);

/* The bounds and the metadata word of what a root points to. */
struct cs_bounds {
  cs_u64 start, size, word;
};

/* For the cold path: the bounds of a root in an escaping form; size 0 when the variable no longer exists. The caller
 * has zeroed *to. */
void __cs_object_bounds(cs_u64 root, KEPT struct cs_bounds *to);
/* The escaping form of a pointer derived from such a root. */
void *__cs_object_escape(void *pointer, void *root);

#endif
