/* module.c: loads, unloads and launches. */
#include "host/modules/module.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/collect/lift.h"
#include "host/findings/drain.h"
#include "host/hooks/arguments.h"
#include "host/hooks/canary.h"
#include "host/hooks/divide.h"
#include "host/hooks/executable.h"
#include "host/hooks/graph_memory.h"
#include "host/hooks/hooks.h"
#include "host/hooks/meet.h"
#include "host/hooks/order.h"
#include "host/hooks/select.h"
#include "host/hooks/start.h"
#include "host/hooks/sync.h"
#include "host/launch/forms.h"
#include "host/launch/running.h"
#include "host/modules/checked.h"
#include "host/modules/graph_kernels.h"
#include "host/modules/kernel.h"
#include "host/modules/known.h"
#include "host/modules/unchecked.h"
#include "host/process/order.h"
#include "host/stacks/stack.h"
#include "options/process.h"
#include <stdlib.h>
#include <string.h>

static CUresult module_loaded(CUresult result, CUmodule *module) {
  if (result || !module)
    return result;
  cs_host_start_watch_exit();
  struct cs_host_loaded loaded = cs_host_meet_loaded(*module, 0);
  int error = cs_host_module_loaded(loaded);
  if (error == CUDA_ERROR_INVALID_IMAGE) {
    cs_host_known_forget(loaded);
    cs_host_driver()->cuModuleUnload(*module);
    *module = NULL;
    return (CUresult)error;
  }
  return CUDA_SUCCESS;
}

/* --- PTX with checks in place of what the program loads --- */

/* Lifted PTX has its metadata in the table. */
static int can_lift(void) {
  return cs_host_heap_placement(cs_host_process_heap()) == CS_PLACEMENT_TABLE;
}

static char *lift(const void *image) {
  return can_lift() ? cs_host_lift(image) : NULL;
}

static char *lift_file(const char *path) {
  return can_lift() ? cs_host_lift_file(path) : NULL;
}

/* Whether the driver rejects checked PTX, and the program's own code is to be loaded. Frees the checked PTX. */
static int is_rejected(char *checked, CUresult result) {
  if (checked && result)
    cs_host_message_once(0, "the driver rejects PTX with checks (error %d); the program's own code runs without them",
                         (int)result);
  cs_host_nothing_lost(); /* the message states it */
  free(checked);
  return checked && result;
}

CUresult cs_host_on_cuModuleLoad(PFN_cuModuleLoad_v2000 real, const char *call, CUmodule *module, const char *path) {
  (void)call;
  char *checked = lift_file(path);
  CUresult result = checked ? cs_host_driver()->cuModuleLoadData(module, checked) : real(module, path);
  return module_loaded(is_rejected(checked, result) ? real(module, path) : result, module);
}

CUresult cs_host_on_cuModuleLoadData(PFN_cuModuleLoadData_v2000 real, const char *call, CUmodule *module,
                                     const void *image) {
  (void)call;
  char *checked = lift(image);
  CUresult result = real(module, checked ? checked : image);
  return module_loaded(is_rejected(checked, result) ? real(module, image) : result, module);
}

/* The driver writes to the values of options, such as the length of a log: a second try starts with those of the program. */
static void **copy_values(void **values, unsigned count) {
  void **copy = calloc(count + 1u, sizeof *copy);
  if (copy && values)
    memcpy(copy, values, count * sizeof *copy);
  return copy;
}

/* Returns the result, for a success with the values that the driver has written. */
static CUresult use_values(CUresult result, void **copy, void **values, unsigned count) {
  if (!result && values)
    memcpy(values, copy, count * sizeof *copy);
  free(copy);
  return result;
}

CUresult cs_host_on_cuModuleLoadDataEx(PFN_cuModuleLoadDataEx_v2010 real, const char *call, CUmodule *module,
                                       const void *image, unsigned count, CUjit_option *options, void **values) {
  (void)call;
  char *checked = lift(image);
  void **copy = checked ? copy_values(values, count) : NULL;
  if (!copy) {
    free(checked);
    return module_loaded(real(module, image, count, options, values), module);
  }
  CUresult result = use_values(real(module, checked, count, options, copy), copy, values, count);
  return module_loaded(is_rejected(checked, result) ? real(module, image, count, options, values) : result, module);
}

CUresult cs_host_on_cuModuleLoadFatBinary(PFN_cuModuleLoadFatBinary_v2000 real, const char *call, CUmodule *module,
                                          const void *image) {
  (void)call;
  char *checked = lift(image);
  CUresult result = checked ? cs_host_driver()->cuModuleLoadData(module, checked) : real(module, image);
  return module_loaded(is_rejected(checked, result) ? real(module, image) : result, module);
}

/* The real call waits for the module's kernels, too; here their last records must be read before it. */
static void unloading(struct cs_host_loaded owner) {
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (cs_host_is_checked(owner.number, c))
      cs_host_report_fault(cs_host_context_wait(c), "cuCtxSynchronize");
  cs_host_drain_unloading(owner.number);
  cs_host_kernels_forget(owner.number);
  cs_host_forms_forget(owner.number);
  cs_host_known_forget(owner);
}

/* A handle that CuSafe does not know, and a library's module, which the driver does not unload, end nothing. */
static void unloading_handle(const void *handle) {
  struct cs_host_loaded whole = cs_host_known_find(handle).owner;
  if (!whole.number || whole.handle != handle)
    return;
  for (struct cs_host_loaded part; (part = cs_host_known_take_part(whole.number)).number;) {
    cs_host_library_forget(part.number);
    unloading(part);
  }
  cs_host_library_forget(whole.number);
  unloading(whole);
}

CUresult cs_host_on_cuModuleUnload(PFN_cuModuleUnload_v2000 real, const char *call, CUmodule module) {
  (void)call;
  unloading_handle(module);
  return real(module);
}

static CUresult library_loaded(CUresult result, CUlibrary *library) {
  if (result || !library)
    return result;
  cs_host_start_watch_exit();
  CUresult error = (CUresult)cs_host_library_loaded(cs_host_meet_loaded(*library, 1));
  cs_host_nothing_lost(); /* a context that is not known yet attaches the library when it launches */
  return error;
}

/* Whether the library has been loaded with checks. Without the library's own options: the driver copies the PTX. Frees the PTX. */
static int load_checked(CUlibrary *library, char *checked, CUjit_option *jit, void **values, unsigned count) {
  void **copy = checked ? copy_values(values, count) : NULL;
  if (!copy) {
    free(checked);
    return 0;
  }
  CUresult result = cs_host_driver()->cuLibraryLoadData(library, checked, jit, copy, count, NULL, NULL, 0);
  return !is_rejected(checked, use_values(result, copy, values, count));
}

CUresult cs_host_on_cuLibraryLoadData(PFN_cuLibraryLoadData_v12000 real, const char *call, CUlibrary *library,
                                      const void *code, CUjit_option *jit, void **jit_values, unsigned jit_count,
                                      CUlibraryOption *options, void **values, unsigned count) {
  (void)call;
  int is_loaded = load_checked(library, lift(code), jit, jit_values, jit_count);
  return library_loaded(
      is_loaded ? CUDA_SUCCESS : real(library, code, jit, jit_values, jit_count, options, values, count), library);
}

CUresult cs_host_on_cuLibraryLoadFromFile(PFN_cuLibraryLoadFromFile_v12000 real, const char *call, CUlibrary *library,
                                          const char *path, CUjit_option *jit, void **jit_values, unsigned jit_count,
                                          CUlibraryOption *options, void **values, unsigned count) {
  (void)call;
  int is_loaded = load_checked(library, count ? NULL : lift_file(path), jit, jit_values, jit_count);
  return library_loaded(
      is_loaded ? CUDA_SUCCESS : real(library, path, jit, jit_values, jit_count, options, values, count), library);
}

CUresult cs_host_on_cuLibraryUnload(PFN_cuLibraryUnload_v12000 real, const char *call, CUlibrary library) {
  (void)call;
  unloading_handle(library);
  return real(library);
}

CUresult cs_host_on_cuModuleGetFunction(PFN_cuModuleGetFunction_v2000 real, const char *call, CUfunction *function,
                                        CUmodule module, const char *name) {
  (void)call;
  CUresult result = real(function, module, name);
  if (!result && function && name)
    cs_host_meet_function_of(module, *function, name);
  return result;
}

/* The module is met first: connecting it writes to its variables. */
CUresult cs_host_on_cuModuleGetGlobal_v2(PFN_cuModuleGetGlobal_v3020 real, const char *call, CUdeviceptr *address,
                                         size_t *bytes, CUmodule module, const char *name) {
  (void)call;
  CUresult result = real(address, bytes, module, name);
  if (!result)
    cs_host_meet_module(module);
  return result;
}

CUresult cs_host_on_cuFuncGetModule(PFN_cuFuncGetModule_v11000 real, const char *call, CUmodule *module,
                                    CUfunction function) {
  (void)call;
  CUresult result = real(module, function);
  struct cs_host_kernel_info info = cs_host_kernel_info(function);
  struct cs_host_loaded owner = cs_host_known_whole(info.owner);
  if (!result && module && owner.is_library)
    cs_host_meet_module_of(*module, owner, info.context ? info.context : cs_host_context_current());
  return result;
}

CUresult cs_host_on_cuLibraryGetKernel(PFN_cuLibraryGetKernel_v12000 real, const char *call, CUkernel *kernel,
                                       CUlibrary library, const char *name) {
  (void)call;
  CUresult result = real(kernel, library, name);
  if (!result && kernel && name)
    cs_host_meet_kernel_of(library, *kernel, name);
  return result;
}

CUresult cs_host_on_cuLibraryGetModule(PFN_cuLibraryGetModule_v12000 real, const char *call, CUmodule *module,
                                       CUlibrary library) {
  (void)call;
  CUresult result = real(module, library);
  if (!result && module)
    cs_host_meet_module_of(*module, cs_host_known_find(library).owner, cs_host_context_current());
  cs_host_nothing_lost(); /* a record without its context ends when the driver gives out the handle again */
  return result;
}

/* The library is attached before the program can write to its variables: attaching writes to them, too. */
CUresult cs_host_on_cuLibraryGetGlobal(PFN_cuLibraryGetGlobal_v12000 real, const char *call, CUdeviceptr *address,
                                       size_t *bytes, CUlibrary library, const char *name) {
  (void)call;
  cs_host_attach_libraries();
  return real(address, bytes, library, name);
}

CUresult cs_host_on_cuLibraryGetManaged(PFN_cuLibraryGetManaged_v12000 real, const char *call, CUdeviceptr *address,
                                        size_t *bytes, CUlibrary library, const char *name) {
  (void)call;
  cs_host_attach_libraries();
  return real(address, bytes, library, name);
}

CUresult cs_host_on_cuKernelGetFunction(PFN_cuKernelGetFunction_v12000 real, const char *call, CUfunction *function,
                                        CUkernel kernel) {
  (void)call;
  CUresult result = real(function, kernel);
  if (!result && function)
    cs_host_kernel_alias(*function, kernel, cs_host_context_current());
  return result;
}

/* A launch in a stream that is captured becomes a node. */
static void note_node(const struct cs_host_launch *launch, const char *call, cs_u32 stack) {
  const struct cs_host_driver *d = cs_host_driver();
  CUstreamCaptureStatus status;
  CUgraph graph = NULL;
  CUstream stream = cs_host_stream_of(call, launch->stream);
  if (d->cuStreamGetCaptureInfo_v2 && !d->cuStreamGetCaptureInfo_v2(stream, &status, NULL, &graph, NULL, NULL) && graph)
    cs_host_graph_node_added(graph, cs_host_kernel_info(launch->function).name, stack);
  cs_host_nothing_lost(); /* only the report does not name where the kernel was captured */
}

/* A kernel is about to be launched, or captured. Returns whether it is its first launch. */
static int launching(const struct cs_host_launch *launch, const char *call, int is_captured) {
  CUfunction function = launch->function;
  struct cs_host_launch_note note = {.stack = cs_options()->launch_stacks ? cs_host_stack_here_sparing() : 0,
                                     .is_captured = is_captured};
  memcpy(note.grid, launch->grid, sizeof note.grid);
  memcpy(note.block, launch->block, sizeof note.block);
  cs_host_meet_function(function);
  CUstream stream = cs_host_stream_of(call, launch->stream);
  int counts = cs_host_select_launch(function, launch->stream);
  int first = cs_host_kernel_launched(function, &note);
  if (!cs_host_is_capturing(stream))
    cs_host_running_add(stream); /* after the launch was counted: until then none of the lists knows it */
  if (is_captured)
    note_node(launch, call, note.stack);
  cs_u64 owner = cs_options()->verbosity ? cs_host_kernel_info(function).owner.number : 0;
  if (owner && !cs_host_is_checked(owner, NULL))
    cs_host_unchecked(CS_HOST_UNCHECKED_LAUNCHES);
  if (counts)
    cs_host_arguments_check(function, launch->parameters, launch->extra, call);
  cs_host_canary_launching(launch, &note, call);
  cs_host_order_launching(launch, cs_host_kernel_info(function).name, note.stack, call);
  return first;
}

/* The same, and chooses the kernel's form. */
static int launching_form(const struct cs_host_launch *launch, const char *call, struct cs_host_choice *choice) {
  int is_captured = cs_host_is_capturing(cs_host_stream_of(call, launch->stream));
  int first = launching(launch, call, is_captured);
  cs_host_form_choose(launch, is_captured, choice);
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

CUresult cs_host_on_cuLaunchKernel(PFN_cuLaunchKernel_v4000 real, const char *call, CUfunction function, unsigned gx,
                                   unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
                                   CUstream stream, void **parameters, void **extra) {
  struct cs_host_launch launch = {function, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, extra};
  struct cs_host_choice c;
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  int first = launching_form(&launch, call, &c);
  return launched(real(c.function, gx, gy, gz, bx, by, bz, shared, stream, c.parameters, c.extra), first);
}

CUresult cs_host_on_cuLaunchKernelEx(PFN_cuLaunchKernelEx_v11060 real, const char *call, const CUlaunchConfig *config,
                                     CUfunction function, void **parameters, void **extra) {
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  if (!config)
    return real(config, function, parameters, extra);
  struct cs_host_launch launch = {function,
                                  {config->gridDimX, config->gridDimY, config->gridDimZ},
                                  {config->blockDimX, config->blockDimY, config->blockDimZ},
                                  config->sharedMemBytes,
                                  config->hStream,
                                  parameters,
                                  extra};
  struct cs_host_choice c;
  int first = launching_form(&launch, call, &c);
  return launched(real(config, c.function, c.parameters, c.extra), first);
}

CUresult cs_host_on_cuLaunchCooperativeKernel(PFN_cuLaunchCooperativeKernel_v9000 real, const char *call,
                                              CUfunction function, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                              unsigned by, unsigned bz, unsigned shared, CUstream stream,
                                              void **parameters) {
  struct cs_host_launch launch = {function, {gx, gy, gz}, {bx, by, bz}, shared, stream, parameters, NULL};
  struct cs_host_choice c;
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  int first = launching_form(&launch, call, &c);
  return launched(real(c.function, gx, gy, gz, bx, by, bz, shared, stream, c.parameters), first);
}

CUresult cs_host_on_cuLaunchCooperativeKernelMultiDevice(PFN_cuLaunchCooperativeKernelMultiDevice_v9000 real,
                                                         const char *call, CUDA_LAUNCH_PARAMS *list, unsigned count,
                                                         unsigned flags) {
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

/* The launches of CUDA 3, whose blocks and arguments earlier calls have set. Returns 0, or the error to return instead. */
static CUresult launching_grid(CUfunction function, int width, int height, CUstream stream, const char *call,
                               int *first) {
  CUresult error = cs_host_before_work();
  if (error)
    return error;
  struct cs_host_launch launch = {function, {(cs_u32)width, (cs_u32)height, 1}, {0}, 0, stream, NULL, NULL};
  *first = launching(&launch, call, cs_host_is_capturing(stream));
  return CUDA_SUCCESS;
}

CUresult cs_host_on_cuLaunch(PFN_cuLaunch_v2000 real, const char *call, CUfunction function) {
  int first;
  CUresult error = launching_grid(function, 1, 1, NULL, call, &first);
  return error ? error : launched(real(function), first);
}

CUresult cs_host_on_cuLaunchGrid(PFN_cuLaunchGrid_v2000 real, const char *call, CUfunction function, int width,
                                 int height) {
  int first;
  CUresult error = launching_grid(function, width, height, NULL, call, &first);
  return error ? error : launched(real(function, width, height), first);
}

CUresult cs_host_on_cuLaunchGridAsync(PFN_cuLaunchGridAsync_v2000 real, const char *call, CUfunction function,
                                      int width, int height, CUstream stream) {
  int first;
  CUresult error = launching_grid(function, width, height, stream, call, &first);
  return error ? error : launched(real(function, width, height, stream), first);
}

/* A captured launch becomes a child graph, whose memory is allocated when its parent is launched. */
static CUresult launch_graph(PFN_cuGraphLaunch_v10000 real, CUgraphExec graph, CUstream stream, const char *call) {
  CUstream handle = cs_host_stream_of(call, stream);
  if (!cs_host_graph_memory_exists() || cs_host_is_capturing(handle))
    return real(graph, stream);
  CUresult result = cs_host_executable_launching(graph, handle);
  if (!result)
    result = real(graph, stream);
  cs_host_executable_launched(graph, handle, result);
  cs_host_nothing_lost(); /* words that could not be written are written before the next work */
  return result;
}

CUresult cs_host_on_cuGraphLaunch(PFN_cuGraphLaunch_v10000 real, const char *call, CUgraphExec graph, CUstream stream) {
  CUresult refused = cs_host_executable_refused(graph, call);
  cs_host_divide_graph(); /* changes what the next call writes to the device */
  if (!refused)
    refused = cs_host_before_work();
  if (refused)
    return refused;
  cs_host_select_graph();
  cs_host_graph_launched(
      cs_host_executable_kernels(graph),
      &(struct cs_host_launch_note){.stack = cs_options()->launch_stacks ? cs_host_stack_here_sparing() : 0,
                                    .is_captured = cs_host_is_capturing(cs_host_stream_of(call, stream))});
  cs_host_running_add(cs_host_stream_of(call, stream));
  cs_host_canary_launching_graph();
  cs_host_order_graph_launched(cs_host_stream_of(call, stream));
  return launched(launch_graph(real, graph, stream, call),
                  1); /* its kernels were compiled when the graph was instantiated */
}
