/* launch.c: launches of kernels and of graphs. */
#include "host/base/changes.h"
#include "host/base/degraded.h"
#include "host/hooks/arguments.h"
#include "host/hooks/canary.h"
#include "host/hooks/divide.h"
#include "host/hooks/executable.h"
#include "host/hooks/graph_forms.h"
#include "host/hooks/graph_memory.h"
#include "host/hooks/hooks.h"
#include "host/hooks/meet.h"
#include "host/hooks/order.h"
#include "host/hooks/select.h"
#include "host/hooks/start.h"
#include "host/hooks/sync.h"
#include "host/launch/forms.h"
#include "host/launch/repeat.h"
#include "host/launch/running.h"
#include "host/modules/checked.h"
#include "host/modules/graph_kernels.h"
#include "host/modules/kernel.h"
#include "host/modules/unchecked.h"
#include "host/process/order.h"
#include "host/process/stream.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include <string.h>

/* A launch in a stream that is captured becomes a node. */
static void note_node(const struct cs_host_launch *launch, cs_u32 stack) {
  const struct cs_host_driver *d = cs_host_driver();
  CUstreamCaptureStatus status;
  CUgraph graph = NULL;
  if (d->cuStreamGetCaptureInfo_v2 &&
      !d->cuStreamGetCaptureInfo_v2(launch->stream, &status, NULL, &graph, NULL, NULL) && graph)
    cs_host_graph_node_added(graph, cs_host_kernel_info(launch->function).name, stack);
  cs_host_nothing_lost(); /* only the report does not name where the kernel was captured */
}

/* A kernel is about to be launched, or captured. Returns whether it is its first launch. */
static int launching(const struct cs_host_launch *launch, const struct cs_host_call *call, int is_captured) {
  CUfunction function = launch->function;
  struct cs_host_launch_note note = {.stack = cs_options()->launch_stacks ? cs_host_stack_here_sparing() : 0,
                                     .is_captured = is_captured};
  memcpy(note.grid, launch->grid, sizeof note.grid);
  memcpy(note.block, launch->block, sizeof note.block);
  cs_host_meet_function(function);
  int counts = cs_host_select_launch(function, launch->stream);
  int first = cs_host_kernel_launched(function, &note);
  if (!cs_host_is_capturing(launch->stream))
    cs_host_running_add(launch->stream); /* after the launch was counted: until then none of the lists knows it */
  if (is_captured)
    note_node(launch, note.stack);
  cs_u64 owner = cs_options()->verbosity ? cs_host_kernel_info(function).owner.number : 0;
  if (owner && !cs_host_is_checked(owner, NULL))
    cs_host_unchecked(CS_HOST_UNCHECKED_LAUNCHES);
  if (counts)
    cs_host_arguments_check(function, launch->parameters, launch->extra, call->name);
  cs_host_canary_launching(launch, &note, call);
  cs_host_order_launching(launch, cs_host_kernel_info(function).name, note.stack, call);
  return first;
}

/* The same, and chooses the kernel's form. named: the stream, as the call names it. */
static int launching_form(const struct cs_host_launch *launch, const struct cs_host_call *call, CUstream named,
                          struct cs_host_choice *choice) {
  cs_u64 before = cs_host_changes_now();
  int is_captured = cs_host_is_capturing(launch->stream);
  int first = launching(launch, call, is_captured);
  cs_host_form_choose(launch, is_captured, choice);
  if (choice->is_bare && cs_host_canary_mode())
    cs_host_canaries_arm();
  if (choice->is_bare && !cs_host_select_counts())
    cs_host_repeat_add(call->is_per_thread, launch, named, choice->function, before);
  return first;
}

/* At a first launch the driver may load its compiler, which registers exit handlers. */
static CUresult launched(CUresult result, int first) {
  cs_host_kernel_queued();
  if (first)
    cs_host_start_watch_exit();
  cs_host_canary_launched(result);
  return result;
}

CUresult cs_host_on_cuLaunchKernel(PFN_cuLaunchKernel_v4000 real, const struct cs_host_call *call, CUfunction function,
                                   unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                                   unsigned shared, CUstream stream, void **parameters, void **extra) {
  struct cs_host_launch launch = {function,   {gx, gy, gz}, {bx, by, bz}, shared, cs_host_stream_of(call, stream),
                                  parameters, extra};
  struct cs_host_choice c;
  CUfunction bare = cs_host_repeat_again(call->is_per_thread, &launch, stream);
  if (bare)
    return launched(real(bare, gx, gy, gz, bx, by, bz, shared, stream, parameters, extra), 0);
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  int first = launching_form(&launch, call, stream, &c);
  return launched(real(c.function, gx, gy, gz, bx, by, bz, shared, stream, c.parameters, c.extra), first);
}

CUresult cs_host_on_cuLaunchKernelEx(PFN_cuLaunchKernelEx_v11060 real, const struct cs_host_call *call,
                                     const CUlaunchConfig *config, CUfunction function, void **parameters,
                                     void **extra) {
  if (!config)
    return real(config, function, parameters, extra);
  struct cs_host_launch launch = {function,
                                  {config->gridDimX, config->gridDimY, config->gridDimZ},
                                  {config->blockDimX, config->blockDimY, config->blockDimZ},
                                  config->sharedMemBytes,
                                  cs_host_stream_of(call, config->hStream),
                                  parameters,
                                  extra};
  struct cs_host_choice c;
  CUfunction bare = cs_host_repeat_again(call->is_per_thread, &launch, config->hStream);
  if (bare)
    return launched(real(config, bare, parameters, extra), 0);
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  int first = launching_form(&launch, call, config->hStream, &c);
  return launched(real(config, c.function, c.parameters, c.extra), first);
}

CUresult cs_host_on_cuLaunchCooperativeKernel(PFN_cuLaunchCooperativeKernel_v9000 real, const struct cs_host_call *call,
                                              CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                              unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                              void **parameters) {
  struct cs_host_launch launch = {function,   {gx, gy, gz}, {bx, by, bz}, shared, cs_host_stream_of(call, stream),
                                  parameters, NULL};
  struct cs_host_choice c;
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  int first = launching_form(&launch, call, stream, &c);
  return launched(real(c.function, gx, gy, gz, bx, by, bz, shared, stream, c.parameters), first);
}

CUresult cs_host_on_cuLaunchCooperativeKernelMultiDevice(PFN_cuLaunchCooperativeKernelMultiDevice_v9000 real,
                                                         const struct cs_host_call *call, CUDA_LAUNCH_PARAMS *list,
                                                         unsigned count, unsigned flags) {
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  int first = 0;
  for (unsigned i = 0; list && i < count; i++)
    first |= launching(&(struct cs_host_launch){list[i].function,
                                                {list[i].gridDimX, list[i].gridDimY, list[i].gridDimZ},
                                                {list[i].blockDimX, list[i].blockDimY, list[i].blockDimZ},
                                                list[i].sharedMemBytes,
                                                list[i].hStream,
                                                list[i].kernelParams,
                                                NULL},
                       call, 0);
  return launched(real(list, count, flags), first);
}

/* The launches of CUDA 3, whose blocks and arguments earlier calls have set. Returns 0, or the error to return
 * instead. */
static CUresult launching_grid(CUfunction function, int width, int height, CUstream stream,
                               const struct cs_host_call *call, int *first) {
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  struct cs_host_launch launch = {function, {(cs_u32)width, (cs_u32)height, 1}, {0}, 0, stream, NULL, NULL};
  *first = launching(&launch, call, cs_host_is_capturing(stream));
  return CUDA_SUCCESS;
}

CUresult cs_host_on_cuLaunch(PFN_cuLaunch_v2000 real, const struct cs_host_call *call, CUfunction function) {
  int first;
  CUresult error = launching_grid(function, 1, 1, NULL, call, &first);
  return error ? error : launched(real(function), first);
}

CUresult cs_host_on_cuLaunchGrid(PFN_cuLaunchGrid_v2000 real, const struct cs_host_call *call, CUfunction function,
                                 int width, int height) {
  int first;
  CUresult error = launching_grid(function, width, height, NULL, call, &first);
  return error ? error : launched(real(function, width, height), first);
}

CUresult cs_host_on_cuLaunchGridAsync(PFN_cuLaunchGridAsync_v2000 real, const struct cs_host_call *call,
                                      CUfunction function, int width, int height, CUstream stream) {
  int first;
  CUresult error = launching_grid(function, width, height, stream, call, &first);
  return error ? error : launched(real(function, width, height, stream), first);
}

/* `handle` is the stream, which the program may name by 0. A captured launch becomes a child graph, whose memory is
 * allocated when its parent is launched. */
static CUresult launch_graph(PFN_cuGraphLaunch_v10000 real, CUgraphExec graph, CUstream stream, CUstream handle) {
  if (!cs_host_graph_memory_exists() || cs_host_is_capturing(handle))
    return real(graph, stream);
  CUresult result = cs_host_executable_launching(graph, handle);
  if (!result)
    result = real(graph, stream);
  cs_host_executable_launched(graph, handle, result);
  cs_host_nothing_lost(); /* words that could not be written are written before the next work */
  return result;
}

CUresult cs_host_on_cuGraphLaunch(PFN_cuGraphLaunch_v10000 real, const struct cs_host_call *call, CUgraphExec graph,
                                  CUstream stream) {
  CUstream handle = cs_host_stream_of(call, stream);
  CUresult refused = cs_host_executable_refused(graph, call->name);
  cs_host_divide_graph(); /* changes what the next call writes to the device */
  if (!refused)
    refused = cs_host_before_work();
  if (refused)
    return refused;
  cs_host_select_graph();
  if (cs_host_graph_forms_choose(graph, cs_host_is_capturing(handle), cs_host_executable_kernel_nodes(graph)) &&
      cs_host_canary_mode())
    cs_host_canaries_arm();
  cs_host_graph_launched(
      cs_host_executable_kernels(graph),
      &(struct cs_host_launch_note){.stack = cs_options()->launch_stacks ? cs_host_stack_here_sparing() : 0,
                                    .is_captured = cs_host_is_capturing(handle)});
  cs_host_running_add(handle);
  cs_host_canary_launching_graph();
  cs_host_order_graph_launched(handle);
  return launched(launch_graph(real, graph, stream, handle),
                  1); /* its kernels were compiled when the graph was instantiated */
}
