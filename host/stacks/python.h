/* python.h: the Python frames of the calling thread, as values that a stack (stack.h) holds next to return addresses.
 *
 * They are read from the interpreter's memory: its functions need the interpreter's lock (GIL), which a thread that
 * calls CUDA has often released, and waiting for it could deadlock. A thread's frames do not change while it executes C
 * code. Only interpreters of python_versions.inc are read, and only after the first stack of the process has been
 * verified; with others, stacks have the interpreter's C frames. */
#ifndef CUSAFE_HOST_STACKS_PYTHON_H
#define CUSAFE_HOST_STACKS_PYTHON_H

#include "host/stacks/python_code.h"
#include "host/stacks/walk.h"

#define CS_HOST_PYTHON_DEPTH 32

struct cs_host_python_frame {
  const struct cs_host_python_code *code;
  cs_u32 line; /* 0: unknown */
};

/* The innermost frames, at most CS_HOST_PYTHON_DEPTH, innermost first, and the interpreter's code: return addresses in
 * it, and those of its callers, are what the frames replace. Returns their number; 0: the thread executes no Python.
 * Any thread, with or without the GIL. */
size_t cs_host_python_frames(void **frames, struct cs_host_text *interpreter);

/* Whether a value of a stack is a Python frame, and which. */
int cs_host_python_is_frame(const void *value);
struct cs_host_python_frame cs_host_python_frame(const void *value);

#endif
