/* object.h: variables whose addresses escape: giving a pointer its bounds (the pass calls these), and finding them again. */
#ifndef CUSAFE_DEVICE_OBJECT_H
#define CUSAFE_DEVICE_OBJECT_H

#include "cusafe/abi.h"

/* A local variable's scope begins and ends. The window is aligned to its size, and the variable lies behind the prefix; see
 * cusafe/object.h. */
void __cs_local_begin(void *window, cs_u64 size, cs_u32 prefix_log2);
void __cs_local_end(void *window);

/* The escaping form of a pointer derived from a variable that is named here. */
void *__cs_close_local(void *pointer, void *window, cs_u32 tag);
void *__cs_close_shared(void *pointer, void *start, cs_u64 size); /* start: after the prefix; writes the word */
void *__cs_close_dynamic(void *pointer);
void *__cs_close_variable(void *pointer, cs_u32 number);

/* Where the launch's dynamic shared memory is (generic), and how large. */
cs_u64 __cs_dynamic_start(void);
cs_u64 __cs_dynamic_size(void);

/* What is known of the thing that a root points to. */
struct cs_bounds {
  cs_u64 start, size, word;
};

/* The way back, in the cold path. Size 0 when the variable is gone. Zeros are there before. */
void __cs_object_bounds(cs_u64 root, volatile struct cs_bounds *to);
void *__cs_object_escape(void *pointer, void *root);

#endif
