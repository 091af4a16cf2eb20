/* interface.c: what programs call through cusafe/cusafe.h. */
#include "cusafe/cusafe.h"
#include "host/base/degraded.h"
#include "host/base/inside.h"
#include "host/base/lock.h"
#include "host/findings/drain.h"
#include "host/findings/span.h"
#include "host/heap/carve.h"
#include "host/hooks/carve.h"
#include "host/hooks/divide.h"
#include "host/hooks/select.h"
#include "host/hooks/sync.h"
#include "host/modules/names.h"
#include "host/modules/unchecked.h"
#include "host/process/context.h"
#include "host/process/process.h"

static void *on_carve(void *address, size_t bytes) {
  if (!cs_host_annotation_enter())
    return address;
  cs_u64 carved = cs_host_carve(cs_strip((cs_u64)address), bytes);
  cs_host_inside_leave();
  return (void *)carved;
}

static void *on_give_back(void *pointer, void *stream) {
  if (!cs_host_annotation_enter())
    return pointer;
  cs_u64 origin = cs_host_give_back(cs_strip((cs_u64)pointer), stream, "cusafe_give_back");
  cs_host_inside_leave();
  return (void *)origin;
}

static void *on_resize(void *pointer, size_t bytes, void *stream) {
  if (!cs_host_annotation_enter())
    return pointer;
  cs_u64 resized = cs_host_resize(cs_strip((cs_u64)pointer), bytes, stream, "cusafe_resize");
  cs_host_inside_leave();
  return (void *)resized;
}

static void on_name(void *pointer, const char *name) {
  if (!cs_host_annotation_enter())
    return;
  cs_host_lock(CS_HOST_LOCK_KERNELS);
  const char *kept = name ? cs_host_name_keep(name) : NULL;
  cs_host_unlock(CS_HOST_LOCK_KERNELS);
  if (!kept)
    cs_host_nothing_lost(); /* a report without the name */
  cs_host_heap_name(cs_host_process_heap(), cs_strip((cs_u64)pointer), kept);
  cs_host_inside_leave();
}

static int on_in_bounds(const void *pointer, size_t bytes) {
  if (!cs_host_annotation_enter())
    return 1;
  cs_u64 address = (cs_u64)pointer;
  const struct cs_host_span span = CS_HOST_READS(address, bytes);
  int inside = cs_host_span_is_valid(&span);
  cs_host_inside_leave();
  return inside;
}

static void on_thread_checks(int on) {
  cs_host_select_thread(on);
}

static void on_stream_checks(void *stream, int on) {
  cs_host_select_stream(stream, on);
}

static void on_poison(void *pointer, size_t bytes) {
  if (!cs_host_annotation_enter())
    return;
  cs_host_divide_poison("cusafe_poison", cs_strip((cs_u64)pointer), bytes);
  cs_host_inside_leave();
}

static void on_unpoison(void *pointer, size_t bytes) {
  if (!cs_host_annotation_enter())
    return;
  cs_host_divide_unpoison("cusafe_unpoison", cs_strip((cs_u64)pointer), bytes);
  cs_host_inside_leave();
}

/* For cusafe_torch (torch/cusafe_torch/operators.cpp): an operator was computed on the host, and not checked. */
void cusafe_operator_computed(void);
__attribute__((visibility("default"))) void cusafe_operator_computed(void) {
  cs_host_unchecked(CS_HOST_UNCHECKED_OPERATORS);
}

/* For cusafe_torch: what the tensor in a buffer is. */
void cusafe_buffer_named(void *buffer, const char *name);
__attribute__((visibility("default"))) void cusafe_buffer_named(void *buffer, const char *name) {
  on_name(buffer, name);
}

/* For pytest_cusafe and cusafe_notebook, between two tests or cells: waits for the kernels of all contexts, reports
 * their errors, and waits until the report files have all findings. Returns 0, or -1 if the files do not have them
 * within a second; the caller may call again. */
int cusafe_finish_reports(void);
__attribute__((visibility("default"))) int cusafe_finish_reports(void) {
  enum { PATIENCE_MS = 1000 };
  if (cs_host_inherited)
    return 0;
  cs_host_inside_enter();
  for (struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    cs_host_report_fault(cs_host_context_wait(c), "cuCtxSynchronize");
  cs_host_after_sync(CUDA_SUCCESS);
  int result = cs_host_drain_written(PATIENCE_MS);
  cs_host_inside_leave();
  return result;
}

extern const struct cusafe_interface cusafe_interface_1;
__attribute__((visibility("default"))) const struct cusafe_interface cusafe_interface_1 = {
    .bytes = sizeof(struct cusafe_interface),
    .carve = on_carve,
    .give_back = on_give_back,
    .resize = on_resize,
    .name = on_name,
    .in_bounds = on_in_bounds,
    .thread_checks = on_thread_checks,
    .stream_checks = on_stream_checks,
    .poison = on_poison,
    .unpoison = on_unpoison,
};
