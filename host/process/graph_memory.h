/* graph_memory.h: memory that graphs allocate, served by the tagged heap. The driver has a node of one byte in its
 * place, and so decides which launches and frees are valid; a launch writes the metadata words before and after it, in
 * its stream. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_GRAPH_MEMORY_H
#define CUSAFE_HOST_PROCESS_GRAPH_MEMORY_H

#include "host/process/process.h"

struct cs_host_graph_buffer;

/* A buffer for a node that is about to be added; its graph holds it. The word is clear until a launch. Returns 0, or
 * what cs_host_heap_alloc() returns. call: CS_HOST_BY_... */
int cs_host_graph_buffer_new(int device, cs_u64 bytes, cs_u32 call, cs_u32 stack, struct cs_host_graph_buffer **buffer);
/* The node was added: its address for the program; driver: the address of the driver's byte. */
CUdeviceptr cs_host_graph_buffer_added(struct cs_host_graph_buffer *buffer, CUdeviceptr driver);
/* The node could not be added. */
void cs_host_graph_buffer_discard(struct cs_host_graph_buffer *buffer);

/* The buffer that starts at this address, or whose driver's byte this is; NULL if there is none. */
struct cs_host_graph_buffer *cs_host_graph_buffer_at(CUdeviceptr start);
struct cs_host_graph_buffer *cs_host_graph_buffer_of(CUdeviceptr driver);
CUdeviceptr cs_host_graph_buffer_driver(const struct cs_host_graph_buffer *buffer);
CUdeviceptr cs_host_graph_buffer_start(const struct cs_host_graph_buffer *buffer, size_t *bytes);

/* Graphs and executable graphs hold their buffers. One that nothing holds and that is not allocated goes back to the
 * heap, once the device has finished with it. */
void cs_host_graph_buffer_hold(struct cs_host_graph_buffer *buffer);
void cs_host_graph_buffer_let_go(struct cs_host_graph_buffer *buffer);

/* Around a launch that allocates the buffer: sets its word, or returns why the launch is not possible; undoes that if
 * it failed. */
CUresult cs_host_graph_buffer_allocating(const struct cs_host_graph_buffer *buffer, CUstream stream);
void cs_host_graph_buffer_allocated(struct cs_host_graph_buffer *buffer, CUstream stream, int succeeded);

/* A free in the stream was queued, by a launch or a call; stream NULL with waited: the device has finished. */
void cs_host_graph_buffer_freed(struct cs_host_graph_buffer *buffer, CUstream stream, int waited, cs_u32 stack);
/* A node that frees it was added here. */
void cs_host_graph_buffer_free_node(struct cs_host_graph_buffer *buffer, cs_u32 stack);
cs_u32 cs_host_graph_buffer_free_stack(const struct cs_host_graph_buffer *buffer);

/* How often a launch or a call has freed a buffer of a graph. */
cs_u64 cs_host_graph_memory_frees(void);

/* Whether any graph has a buffer. */
int cs_host_graph_memory_exists(void);

/* Whether this buffer of a graph was allocated by a launch and then freed; if so, sets the stack that freed it. */
int cs_host_graph_memory_freed(cs_u64 start, cs_u32 *stack);

/* The bytes on a device that the driver does not count, because its nodes have one byte: allocated now (used) or held
 * by graphs, and the maximum since it was reset. */
struct cs_host_graph_bytes {
  cs_u64 used, used_high, held, held_high;
};
struct cs_host_graph_bytes cs_host_graph_memory_bytes(int device);
void cs_host_graph_memory_reset_high(int device, int used);

/* The nodes of an executable graph are not known: from now on every buffer of a graph counts as allocated. */
void cs_host_graph_memory_give_up(void);

/* The context was destroyed, and CuSafe's events in it. */
void cs_host_graph_memory_context_gone(const struct cs_host_context *context);

#endif
