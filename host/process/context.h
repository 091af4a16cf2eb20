/* context.h: what CuSafe keeps for each CUDA context. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_CONTEXT_H
#define CUSAFE_HOST_PROCESS_CONTEXT_H

#include "cusafe/abi.h"
#include "host/base/driver.h"

#define CS_HOST_OBJECTS (CS_OBJECT_NUMBER_MASK + 1)

/* Never freed, so that the list can be read without its lock. A destroyed context has handle NULL, and the next new one
 * takes its place. */
struct cs_host_context {
  CUcontext handle; /* read with cs_host_context_handle() */
  CUdevice device;
  CUstream stream; /* for CuSafe's own copies; does not wait for the program's streams */
  /* See struct cs_ring; NULL until a checked module is loaded. Under drain.c's lock: the context may be destroyed. */
  cs_u64 *bell;
  cs_u64 bell_device, bell_heard; /* its device address; its value when the rings were last read */
  cs_u64 sink;                    /* target of contained accesses; 0 until a checked module is loaded */
  cs_u64 objects;                 /* struct cs_object[CS_HOST_OBJECTS], the variables of all its modules */
  cs_u64 objects_used[CS_HOST_OBJECTS / 64];
  cs_u64 heap;                 /* struct cs_device_heap; 0 until a module whose kernels allocate is loaded */
  cs_u64 races;                /* struct cs_races; 0 until a module that checks for races is loaded */
  struct cs_device_heap slabs; /* the host's copy of it */
  int attaching;               /* a thread has its turn to connect modules in this context (modules/module.c) */
  cs_u64 libraries_seen;       /* see cs_host_modules_attach() */
  int is_hidden;               /* see cs_host_context_hide() */
  int is_ending;               /* a call may be destroying it */
  unsigned visitors;           /* see cs_host_context_visit() */
  struct cs_host_context *next;
};

/* NULL once the context was destroyed. */
static inline CUcontext cs_host_context_handle(const struct cs_host_context *context) {
  return __atomic_load_n(&context->handle, __ATOMIC_ACQUIRE);
}

/* The calling thread's current context: NULL if there is none, or if the driver does not answer. The second form
 * returns 0 or a CUresult, with NULL only if there is none. A query that fails is repeated once: an answer is needed
 * before every launch. */
struct cs_host_context *cs_host_context_current(void);
CUresult cs_host_context_find(struct cs_host_context **context);

/* The current context for a record that ends with it; without one, the record ends when the driver gives out its handle
 * again. */
const struct cs_host_context *cs_host_context_of_record(void);
struct cs_host_context *cs_host_context_first(void);
struct cs_host_context *cs_host_context_of(CUcontext handle);

/* Numbers for a module's variables: the first of count consecutive free ones, or CS_HOST_OBJECTS if there are none. */
cs_u32 cs_host_context_take_objects(struct cs_host_context *context, cs_u32 count);
void cs_host_context_give_objects(struct cs_host_context *context, cs_u32 first, cs_u32 count);

/* Waits for the context's work, if it may include checked code. */
CUresult cs_host_context_wait(struct cs_host_context *context);
/* Ends what cuCtxPushCurrent began. */
void cs_host_context_pop(void);

/* Makes the context current, for CuSafe's own calls from any thread. Returns 0, or -1 if it is destroyed. The thread
 * that destroys it waits for visitors, of which the program cannot know, and visitors wait for a call that may destroy
 * it. No lock is held. */
int cs_host_context_visit(struct cs_host_context *context);
void cs_host_context_leave(struct cs_host_context *context);

/* Around a call that may destroy the context. */
void cs_host_context_begin_end(struct cs_host_context *context);
void cs_host_context_end_end(struct cs_host_context *context);

/* A call that destroys the context gives its handle back to the driver, and another thread may get it before the call
 * has returned here. Before the call: no lookup finds the context. After the call: it is back, or gone. */
void cs_host_context_hide(struct cs_host_context *context);
void cs_host_context_show(struct cs_host_context *context, CUcontext handle);

/* The context was destroyed: forgets its handles. */
void cs_host_context_gone(struct cs_host_context *context);

#endif
