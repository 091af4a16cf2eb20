/* internal.h: the objects of the CPU driver and the contracts between its files.
 *
 * Threads and locks. Every cu* function may be called from any thread. Locks, in the order in which they may be taken:
 *   0. lifecycle in primary.c, one_at_a_time in library.c: each only around its own file's work
 *   1. cs_cpu_context_lock()  lists of streams, modules and libraries
 *   2. module->lock       building a module
 *   3. cs_cpu_memory_lock()   ranges, the heap, reservations, physical handles, pools
 *   4. device->lock       the executor's queue and tickets
 * No lock is held while a kernel, a copy or a function of the program runs.
 *
 * Order of work. Each device has one executor thread that runs tasks in the order of submission, which satisfies every
 * stream, event and default-stream rule. Submission hands out tickets 1, 2, 3...; `completed` is the last one that has
 * ended. What a host thread waits for is always a ticket: a stream's last, an event's, a context's last.
 *
 * Handles are pointers to type-stable objects (see cs_cpu_object_new), so a stale handle is recognised by its magic. */
#ifndef CUSAFE_CPU_INTERNAL_H
#define CUSAFE_CPU_INTERNAL_H

#include "cpu/cuda/engine.h"
#include "cpu/cuda/options.h"
#include "cpu/cuda/ranges.h"
#include "cusafe/image.h"
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#define CS_CPU_DRIVER_VERSION 13000
#define CS_CPU_WARP 32
#define CS_CPU_MAX_THREADS 1024
#define CS_CPU_GRANULARITY ((size_t)2 << 20)
#define CS_CPU_PITCH 512
#define CS_CPU_PRIORITY_GREATEST (-5)
#define CS_CPU_SHARED_DEFAULT ((size_t)48 << 10)

/* Objects that have a handle. */
enum cs_cpu_magic {
  CS_CPU_DEAD = 0,
  CS_CPU_CONTEXT = 0x43580001,
  CS_CPU_MODULE,
  CS_CPU_FUNCTION,
  CS_CPU_LIBRARY,
  CS_CPU_KERNEL,
  CS_CPU_STREAM,
  CS_CPU_EVENT,
  CS_CPU_POOL,
  CS_CPU_PHYSICAL,
  CS_CPU_ARRAY,
  CS_CPU_MIPMAP,
  CS_CPU_TEXTURE,
  CS_CPU_GRAPH,
  CS_CPU_NODE,
  CS_CPU_EXEC,
  CS_CPU_USER_OBJECT,
  CS_CPU_MAGIC_END
};

struct cs_cpu_context;
struct cs_cpu_task;
struct cs_cpu_array;
struct cs_cpu_mipmap;
struct cs_cpu_capture;
struct cs_cpu_node;

struct cs_cpu_device {
  int ordinal;
  struct cs_cpu_context *primary;
  struct cs_cpu_queue *queue;
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  struct cs_cpu_task *first, **last; /* under lock */
  uint64_t submitted, running;       /* under lock; running: the ticket of the task in progress, or 0 */
  atomic_ullong completed;           /* written under lock */
  atomic_int failed;                 /* CUresult: the executor is lost and nothing can run any more */
  struct cs_print *print;            /* the executor's own */
  void *tests;                       /* the same: for CS_KERNEL_TESTED */
  size_t tests_bytes;
  struct cs_heap *heap; /* the executor's own; NULL until a kernel is launched */
  atomic_size_t used;   /* bytes of device memory */
  CUmemoryPool pool, default_pool;
};

/* Nodes of a graph that later ones depend on. The edges are all plain, and there for queries. */
struct cs_cpu_node_set {
  struct cs_cpu_node **nodes;
  CUgraphEdgeData *edges;
  size_t count, room;
};

struct cs_cpu_stream {
  uint32_t magic;
  uint32_t flags;
  int priority;
  struct cs_cpu_context *context;
  unsigned long long id;
  atomic_ullong last;                 /* ticket of the last task */
  struct cs_cpu_capture *capture;     /* what its work is captured into, or NULL */
  struct cs_cpu_node_set tail;        /* while capturing: what the next node depends on */
  CUlaunchAttributeValue *attributes; /* attribute.c's; NULL until one is set */
  struct cs_cpu_stream *next;
};

#define CS_CPU_LIMIT_COUNT (CU_LIMIT_MAX)

struct cs_cpu_context {
  uint32_t magic;
  atomic_int alive;
  atomic_int error; /* CUresult that ended the context's work; every later call returns it */
  struct cs_cpu_device *device;
  int is_primary, retains;
  unsigned flags;
  unsigned long long id;
  CUfunc_cache cache;
  atomic_size_t limits[CS_CPU_LIMIT_COUNT];
  atomic_uint peers; /* bit d: access to device d enabled */
  struct cs_cpu_stream legacy;
  struct cs_cpu_stream inner;           /* for work of the driver's own, beside all streams of the program */
  struct cs_cpu_stream *streams;        /* under cs_cpu_context_lock(); legacy and per-thread ones are not listed */
  struct cs_cpu_loaded_module *modules; /* under cs_cpu_context_lock() */
  struct cs_cpu_listed *arrays;         /* mipmapped ones, too; under cs_cpu_context_lock() */
  atomic_int captures;                  /* streams that capture and would wait for the legacy stream */
  atomic_ullong last, last_blocking;
  struct cs_cpu_context *next;
};

/* Compiled code. Building takes tenths of a second and more, and most kernels of a library are never launched: so on first use. */
struct cs_cpu_code {
  uint64_t offset, bytes;         /* in the image; 0 bytes: there is none */
  struct cs_cpu_program *program; /* under module->lock; NULL until first used */
  int is_shared;                  /* another function of the module releases it */
  CUresult error;                 /* under module->lock: a build is tried once */
};

struct cs_cpu_function {
  uint32_t magic;
  struct cs_cpu_loaded_module *module;
  const struct cs_image_kernel *kernel;
  const char *name;
  struct cs_cpu_code whole, beside; /* the kernel; and what the image has beside it (CS_KERNEL_GOOD_SUFFIX) */
  struct cs_cpu_entry *entry;       /* under module->lock; NULL until first used */
  struct cs_cpu_entry *test, *good; /* the same; NULL also where there are none */
  size_t most_threads;              /* set with the first of them */
  unsigned small_launches;          /* the executor's: that were tested ahead because the kernel was not compiled */
  atomic_size_t max_dynamic;
  atomic_int carveout;
};

struct cs_cpu_loaded_module {
  uint32_t magic;
  struct cs_cpu_context *context;
  struct cs_image *image; /* our copy */
  pthread_mutex_t lock;
  struct cs_cpu_program *program;     /* of the variables; under lock; NULL until built */
  CUresult build_error;               /* under lock: a build is tried once */
  uint64_t *addresses;                /* of all variables; under lock; set with globals, and then fixed */
  struct cs_cpu_function **functions; /* one for each kernel of the image */
  struct cs_cpu_allocation **globals; /* under lock; NULL until asked for */
  struct cs_cpu_loaded_module *next;
};

/* --- objects.c ------------------------------------------------------------------------------------------------------ */
/* A zeroed object of the kind; its storage is only ever reused for the same kind. NULL when out of memory. */
void *cs_cpu_object_new(enum cs_cpu_magic magic, size_t size);
void cs_cpu_object_delete(void *object);
/* Whether the handle names a live object of the kind. */
int cs_cpu_object_is(const void *handle, enum cs_cpu_magic magic);
unsigned long long cs_cpu_next_id(void);
/* "cusafe: NAME is not supported on the CPU device", once for a name; returns CUDA_ERROR_NOT_SUPPORTED. */
CUresult cs_cpu_unsupported(const char *name);

/* --- init.c --------------------------------------------------------------------------------------------------------- */
/* CUDA_ERROR_NOT_INITIALIZED before cuInit. */
CUresult cs_cpu_check_init(void);
/* Whether this process is a child of one that used the driver. */
int cs_cpu_inherited(void);
int cs_cpu_device_count(void);
struct cs_cpu_device *cs_cpu_device_at(int ordinal); /* NULL when there is none */
/* Ends all work on all devices with the error. Any thread but an executor. */
void cs_cpu_devices_fail(CUresult error);

/* --- context.c, primary.c ------------------------------------------------------------------------------------------- */
void cs_cpu_context_lock(void);
void cs_cpu_context_unlock(void);
/* The calling thread's context, ready for work: initialised, current, alive, not failed, not inside a callback. */
CUresult cs_cpu_enter(struct cs_cpu_context **context);
/* The same without the test for failure, for calls that must work on a failed context. */
CUresult cs_cpu_current(struct cs_cpu_context **context);
CUresult cs_cpu_context_error(const struct cs_cpu_context *context);
struct cs_cpu_context *cs_cpu_context_new(struct cs_cpu_device *device, unsigned flags);
/* Brings a new or a reset context to life; ends one: waits, frees what belongs to it. */
void cs_cpu_context_open(struct cs_cpu_context *context, unsigned flags);
void cs_cpu_context_close(struct cs_cpu_context *context);
int cs_cpu_context_flags_valid(unsigned flags);
CUresult cs_cpu_context_check(CUcontext handle, struct cs_cpu_context **context);

/* --- executor.c ----------------------------------------------------------------------------------------------------- */
struct cs_cpu_task {
  struct cs_cpu_task *next;
  /* Runs on the executor thread. An error ends the context's work. The task is freed afterwards with free(). */
  CUresult (*run)(struct cs_cpu_task *task);
  struct cs_cpu_context *context;
  uint64_t ticket;
  int always; /* run even when the context has failed, because something must be released */
};

int cs_cpu_executor_start(struct cs_cpu_device *device);
/* A zeroed task of the given size, which includes struct cs_cpu_task as its first member. */
void *cs_cpu_task_new(size_t size, CUresult (*run)(struct cs_cpu_task *));
/* Takes the task in all cases. ticket may be NULL. */
CUresult cs_cpu_submit(struct cs_cpu_stream *stream, struct cs_cpu_task *task, uint64_t *ticket);
/* Submits a task and waits for it. */
CUresult cs_cpu_submit_and_wait(struct cs_cpu_stream *stream, struct cs_cpu_task *task);
int cs_cpu_done(struct cs_cpu_device *device, uint64_t ticket);
void cs_cpu_wait(struct cs_cpu_device *device, uint64_t ticket);
/* Waits for all that was submitted to the device, or to every device, before the call. */
void cs_cpu_wait_device(struct cs_cpu_device *device);
void cs_cpu_wait_all(void);
/* The last ticket that work submitted to the stream now would have to wait for. */
uint64_t cs_cpu_stream_dependency(struct cs_cpu_stream *stream);
int cs_cpu_in_executor(void);
/* At exit: lets running tasks end and starts no more, so that nothing calls an engine that is shutting down. -1 when a
 * task is still running after that many seconds. */
int cs_cpu_executors_stop(int seconds);

/* --- stream.c ------------------------------------------------------------------------------------------------------- */
CUresult cs_cpu_stream_of(struct cs_cpu_context *context, CUstream handle, struct cs_cpu_stream **stream);
/* cs_cpu_enter and cs_cpu_stream_of in one; context may be NULL. */
CUresult cs_cpu_enter_stream(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream);
/* The same for work: a task if stream->capture is NULL, a node otherwise. An error when a capture forbids it. */
CUresult cs_cpu_enter_work(CUstream handle, struct cs_cpu_context **context, struct cs_cpu_stream **stream);
/* The same for calls that need the stream's work done: an error, and the end of the capture, while it captures. */
CUresult cs_cpu_enter_wait(CUstream handle, struct cs_cpu_stream **stream);
void cs_cpu_stream_end(struct cs_cpu_stream *stream);
struct cs_cpu_task *cs_cpu_host_task(CUhostFn function, CUstreamCallback callback, CUstream stream, void *data);

/* --- event.c --------------------------------------------------------------------------------------------------------- */
/* As tasks, whether or not the stream captures: what graph nodes do. */
CUresult cs_cpu_event_record(struct cs_cpu_stream *stream, CUevent event);
CUresult cs_cpu_event_wait(struct cs_cpu_stream *stream, CUevent event);
int cs_cpu_event_is(CUevent event);
/* The stream's next task waits until the ticket of the other device is done. */
CUresult cs_cpu_wait_in(struct cs_cpu_stream *stream, struct cs_cpu_device *device, uint64_t ticket);

/* --- capture.c ------------------------------------------------------------------------------------------------------- */
/* For calls that may not be made while a capture goes on (cuMemAlloc and the like), as far as the mode of the capture and of
 * the thread say so: the error, after it has ended those captures. */
CUresult cs_cpu_capture_unsafe(void);
/* The stream's handle ends, and with it a capture that it takes part in. */
void cs_cpu_capture_leave(struct cs_cpu_stream *stream);
void cs_cpu_capture_invalidate(struct cs_cpu_capture *capture);
/* What an event that is recorded in a capture stands for. */
struct cs_cpu_mark {
  unsigned long long capture; /* its number; 0: the event was not recorded in a capture */
  struct cs_cpu_node_set nodes;
};
CUresult cs_cpu_capture_mark(struct cs_cpu_stream *stream, struct cs_cpu_mark *mark);
CUresult cs_cpu_capture_join(struct cs_cpu_stream *stream, const struct cs_cpu_mark *mark);
void cs_cpu_mark_clear(struct cs_cpu_mark *mark);

/* --- launch.c -------------------------------------------------------------------------------------------------------- */
struct cs_cpu_config {
  unsigned grid[3], block[3];
  size_t dynamic;
  int cooperative;
};
/* Checks everything but the parameters, and makes the function ready. */
CUresult cs_cpu_launch_check(struct cs_cpu_context *context, CUfunction handle, const struct cs_cpu_config *config,
                             struct cs_cpu_function **function);
/* Copies the parameters to where the kernel looks for them: kernel->param_bytes. */
CUresult cs_cpu_launch_pack(const struct cs_cpu_function *function, char *to, void **params, void **extra);
struct cs_cpu_task *cs_cpu_launch_task(struct cs_cpu_function *function, const struct cs_cpu_config *config,
                                       const char *packed);

/* --- array.c --------------------------------------------------------------------------------------------------------- */
void cs_cpu_arrays_close(struct cs_cpu_context *context);

/* --- memory.c: allocations ------------------------------------------------------------------------------------------ */
enum cs_cpu_memory_kind {
  CS_CPU_MEMORY_DEVICE,
  CS_CPU_MEMORY_MANAGED,
  CS_CPU_MEMORY_HOST,       /* cuMemHostAlloc */
  CS_CPU_MEMORY_REGISTERED, /* cuMemHostRegister */
  CS_CPU_MEMORY_MODULE,     /* a variable of a module */
  CS_CPU_MEMORY_MAPPED      /* cuMemMap */
};

struct cs_cpu_advice;
struct cs_cpu_allocation {
  struct cs_cpu_range range; /* first, so that a range found is an allocation */
  enum cs_cpu_memory_kind kind;
  unsigned flags;
  struct cs_cpu_context *context; /* NULL for mappings */
  int device;
  unsigned long long id;
  void *owner;                              /* heap chunk, physical handle or pool, by kind */
  void *chunk;                              /* heap memory: where it came from */
  size_t charged;                           /* bytes counted against the device */
  unsigned char access[CS_CPU_MAX_DEVICES]; /* mappings: CUmemAccess_flags for each device */
  unsigned char host_access;
  unsigned char placed; /* mappings: the memory is at its address, not only reserved for it */
  unsigned sync_memops;
  int freeing;                  /* cuMemFreeAsync has been called */
  int graphs;                   /* memory of a graph: how many graphs, and executable ones, hold its address */
  int live;                     /* and whether it is allocated now */
  struct cs_cpu_advice *advice; /* managed memory; NULL until there is any */
};

void cs_cpu_memory_lock(void);
void cs_cpu_memory_unlock(void);
extern struct cs_cpu_ranges cs_cpu_allocations; /* under cs_cpu_memory_lock() */

/* Charges device memory; 0, or -1 when the limit would be passed. */
int cs_cpu_memory_charge(struct cs_cpu_device *device, size_t bytes);
void cs_cpu_memory_refund(struct cs_cpu_device *device, size_t bytes);
/* Allocates and registers. The address is 512-byte aligned, page aligned for host memory. */
CUresult cs_cpu_memory_allocate(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind, size_t size,
                                unsigned flags, struct cs_cpu_allocation **out);
/* Registers memory that somebody else owns (modules, host registration). NULL: out of memory or overlap. */
struct cs_cpu_allocation *cs_cpu_memory_register(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind,
                                                 uint64_t start, size_t size, unsigned flags);
/* Unregisters and releases; under no lock. */
void cs_cpu_memory_release(struct cs_cpu_allocation *allocation);
/* The allocation that contains the address or NULL. Under cs_cpu_memory_lock(). */
struct cs_cpu_allocation *cs_cpu_memory_find(uint64_t address);
/* Memory of a graph is not released by freeing it but by the end of the last graph that holds it. Under cs_cpu_memory_lock():
 * 1 when the free is done with that, 0 when the memory is to be released now. */
int cs_cpu_memory_free_graph(struct cs_cpu_allocation *allocation);
/* Releases all allocations of a context. */
void cs_cpu_memory_release_context(struct cs_cpu_context *context);

/* What an address range is, for copies and fills. */
enum cs_cpu_memory_class { CS_CPU_CLASS_PAGEABLE, CS_CPU_CLASS_PINNED, CS_CPU_CLASS_DEVICE };
/* CUDA_ERROR_INVALID_VALUE when the range starts in known memory and leaves it, or has no access. */
CUresult cs_cpu_memory_classify(uint64_t start, size_t size, enum cs_cpu_memory_class *class);

/* --- advice.c --- */
void cs_cpu_advice_free(struct cs_cpu_advice *advice);

/* --- heap.c: storage. Under cs_cpu_memory_lock(). ------------------------------------------------------------------------- */
/* Returns the address, or 0. *chunk is to be handed back to cs_cpu_heap_free with the same size and alignment. */
uint64_t cs_cpu_heap_allocate(size_t size, size_t alignment, void **chunk);
void cs_cpu_heap_free(uint64_t address, size_t size, void *chunk);

/* --- pool.c --------------------------------------------------------------------------------------------------------- */
int cs_cpu_pools_start(struct cs_cpu_device *device);
void cs_cpu_pool_freed(void *pool, size_t size);

/* --- image.c, module.c, library.c, function.c ------------------------------------------------------------------------ */
/* Checks an image and finds its header; prints one sentence and returns CUDA_ERROR_NO_BINARY_FOR_GPU when it is not ours. */
CUresult cs_cpu_image_open(const void *data, const struct cs_image **image);
const struct cs_image_kernel *cs_cpu_image_kernels(const struct cs_image *image);
const struct cs_image_param *cs_cpu_image_params(const struct cs_image *image);
const struct cs_image_global *cs_cpu_image_globals(const struct cs_image *image);
const char *cs_cpu_image_string(const struct cs_image *image, uint32_t offset);
/* The whole file, to be freed by the caller. */
CUresult cs_cpu_image_read(const char *path, void **data);

CUresult cs_cpu_module_new(struct cs_cpu_context *context, const struct cs_image *image,
                           struct cs_cpu_loaded_module **module);
void cs_cpu_module_delete(struct cs_cpu_loaded_module *module);
CUresult cs_cpu_module_build(struct cs_cpu_loaded_module *module);
CUresult cs_cpu_module_global(struct cs_cpu_loaded_module *module, const char *name, CUdeviceptr *address,
                              size_t *size);
struct cs_cpu_function *cs_cpu_module_find(struct cs_cpu_loaded_module *module, const char *name);
/* A function handle, or a kernel handle as cuLaunchKernel also takes it. */
CUresult cs_cpu_function_of(CUfunction handle, struct cs_cpu_function **function);
/* Compiles what a launch may need; the kernel itself, if there is something beside it, only when it is asked for. */
CUresult cs_cpu_function_load(struct cs_cpu_function *function, int whole);
/* The function for a kernel handle in the current context. */
CUresult cs_cpu_kernel_function(CUkernel handle, struct cs_cpu_function **function);
void cs_cpu_libraries_forget(struct cs_cpu_context *context);
size_t cs_cpu_shared_optin(void); /* most shared memory a block can ask for */
CUresult cs_cpu_function_attribute(struct cs_cpu_function *function, CUfunction_attribute attribute, int *value);
/* Blocks that a multiprocessor can hold at a time. */
int cs_cpu_resident_blocks(const struct cs_cpu_function *function, int threads, size_t dynamic);
CUresult cs_cpu_function_set(struct cs_cpu_function *function, CUfunction_attribute attribute, int value);

/* --- print.c -------------------------------------------------------------------------------------------------------- */
struct cs_print *cs_cpu_print_new(size_t capacity);
/* Prints what a kernel left in the buffer and empties it. */
void cs_cpu_print_drain(struct cs_print *print);

#endif
