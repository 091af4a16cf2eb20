/* sync.c: brings modules and metadata up to date before device work, and reads the device's records after it. */
#include "host/hooks/sync.h"
#include "host/base/degraded.h"
#include "host/findings/drain.h"
#include "host/modules/kernel.h"
#include "host/modules/module.h"
#include "host/process/order.h"
#include "host/process/pending.h"
#include "host/stacks/stack.h"

int cs_host_attach_libraries(void) {
  struct cs_host_context *context = cs_host_context_current();
  if (context)
    cs_host_modules_attach(context);
  return context != NULL;
}

CUresult cs_host_before_work(void) {
  struct cs_host_context *context;
  CUresult error = cs_host_context_find(&context);
  if (error || !context)
    return error; /* without a context, the real call fails */
  cs_host_modules_attach(context);
  if (!cs_host_heap_flush(cs_host_process_heap()))
    return CUDA_SUCCESS;
  error = (CUresult)cs_host_heap_flush(cs_host_process_heap()); /* a failure may be transient */
  if (!error)
    cs_host_nothing_lost();
  return error;
}

void cs_host_before_copy(void) {
  if (cs_host_before_work())
    cs_host_nothing_lost(); /* a copy runs no checked code; before a kernel it is tried again */
}

CUresult cs_host_after_sync(CUresult result) {
  cs_host_drain();
  if (!result)
    cs_host_pending_collect(0);
  cs_host_found_canaries();
  return result;
}

CUresult cs_host_after_poll(CUresult result) {
  return result == CUDA_ERROR_NOT_READY ? result : cs_host_after_sync(result);
}

static _Thread_local cs_u64 launched_before, queued_before;

void cs_host_before_all(void) {
  launched_before = cs_host_kernel_launches();
  queued_before = cs_host_kernels_queued();
}

CUresult cs_host_after_all(CUresult result) {
  const struct cs_host_context *first = cs_host_context_first();
  if (!result)
    cs_host_order_all_ended();
  if (!result && first && !first->next) { /* otherwise kernels of other contexts may still run */
    cs_host_kernels_finished(launched_before);
    cs_host_kernels_ended(queued_before);
  }
  return cs_host_after_sync(result);
}

void cs_host_report_fault(CUresult result, const char *call) {
  int is_misaligned = result == CUDA_ERROR_MISALIGNED_ADDRESS;
  if (cs_host_is_sticky(result))
    cs_host_drain(); /* the program may crash on this error; a kernel's record explains more than the driver's error */
  if (is_misaligned || result == CUDA_ERROR_ILLEGAL_ADDRESS || result == CUDA_ERROR_INVALID_ADDRESS_SPACE)
    cs_host_found_fault(&(struct cs_host_fault_error){call, is_misaligned, cs_host_stack_here()});
}
