// streams.cu: stream-ordered memory that another stream uses: out of order, and in every way that orders it (option stream_order).
#include "case.h"
#include <atomic>
#include <cusafe/cusafe.h>

__global__ void touch(int *p) {
  p[threadIdx.x] += 1;
}
__global__ void touch_and_tell(int *p, volatile int *flag) {
  p[threadIdx.x] += 1;
  __threadfence_system();
  *flag = 1;
}

enum { COUNT = 32, BYTES = COUNT * sizeof(int) };

// Streams that do not wait for the legacy default stream.
struct Streams {
  cudaStream_t s[3];
  Streams() {
    for (cudaStream_t &each : s)
      CU(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
  }
  ~Streams() {
    for (cudaStream_t each : s) {
      CU(cudaStreamSynchronize(each));
      CU(cudaStreamDestroy(each));
    }
  }
  cudaStream_t operator[](int i) const { return s[i]; }
};

static int *allocate(cudaStream_t stream) {
  void *p;
  CU(cudaMallocAsync(&p, BYTES, stream));
  return (int *)p;
}
static void order(cudaStream_t first, cudaStream_t second) {
  cudaEvent_t event;
  CU(cudaEventCreate(&event));
  CU(cudaEventRecord(event, first));
  CU(cudaStreamWaitEvent(second, event, 0));
  CU(cudaEventDestroy(event));
}

TWINS(launch_before_allocation, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]);
  if (ordered)
    order(s[0], s[1]);
  touch<<<1, COUNT, 0, s[1]>>>(p); // BUG: launch_before_allocation
  CU(cudaFreeAsync(p, s[1]));
}

TWINS(copy_before_allocation, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]), *q = buffer<int>(COUNT);
  if (ordered)
    order(s[0], s[1]);
  CU(cudaMemcpyAsync(p, q, BYTES, cudaMemcpyDeviceToDevice, s[1])); // BUG: copy_before_allocation
  CU(cudaFreeAsync(p, s[1]));
  release(q);
}

TWINS(fill_before_allocation, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]);
  if (ordered)
    order(s[0], s[1]);
  CU(cudaMemsetAsync(p, 0, BYTES, s[1])); // BUG: fill_before_allocation
  CU(cudaFreeAsync(p, s[1]));
}

TWINS(free_before_use, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]);
  order(s[0], s[1]);
  touch<<<1, COUNT, 0, s[1]>>>(p);
  if (ordered)
    order(s[1], s[0]);
  CU(cudaFreeAsync(p, s[0])); // BUG: free_before_use
}

TWINS(free_before_copy, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]), *q = buffer<int>(COUNT);
  order(s[0], s[1]);
  CU(cudaMemcpyAsync(q, p, BYTES, cudaMemcpyDeviceToDevice, s[1]));
  if (ordered)
    CU(cudaStreamSynchronize(s[1]));
  CU(cudaFreeAsync(p, s[0])); // BUG: free_before_copy
  CU(cudaDeviceSynchronize());
  release(q);
}

TWINS(launch_after_free, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]);
  order(s[0], s[1]);
  if (ordered) {
    touch<<<1, COUNT, 0, s[1]>>>(p);
    order(s[1], s[0]);
  }
  CU(cudaFreeAsync(p, s[0]));
  if (!ordered)
    touch<<<1, COUNT, 0, s[1]>>>(p); // BUG: launch_after_free
}

TWINS(early_event, bool ordered, false, true) {
  Streams s;
  cudaEvent_t event;
  CU(cudaEventCreate(&event));
  CU(cudaEventRecord(event, s[0]));
  int *p = allocate(s[0]);
  if (ordered)
    CU(cudaEventRecord(event, s[0]));
  CU(cudaStreamWaitEvent(s[1], event, 0));
  touch<<<1, COUNT, 0, s[1]>>>(p); // BUG: early_event
  CU(cudaFreeAsync(p, s[1]));
  CU(cudaEventDestroy(event));
}

TWINS(over_a_third_stream, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]);
  order(s[0], s[1]);
  if (ordered)
    order(s[1], s[2]);
  touch<<<1, COUNT, 0, s[2]>>>(p); // BUG: over_a_third_stream
  CU(cudaFreeAsync(p, s[2]));
}

TWINS(wrong_direction, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]);
  if (ordered)
    order(s[0], s[1]);
  else
    order(s[1], s[0]);
  touch<<<1, COUNT, 0, s[1]>>>(p); // BUG: wrong_direction
  CU(cudaFreeAsync(p, s[1]));
}

// A part of stream-ordered memory is in order when the memory is.
TWINS(sub_allocation, bool ordered, false, true) {
  Streams s;
  int *p = allocate(s[0]), *part = (int *)cusafe_carve(cusafe_carve(p, BYTES), BYTES);
  if (ordered)
    order(s[0], s[1]);
  touch<<<1, COUNT, 0, s[1]>>>(part); // BUG: sub_allocation
  CU(cudaFreeAsync(p, s[1]));
}

// A copy in the legacy stream orders only streams that wait for it.
TWINS(legacy_stream, unsigned flags, cudaStreamNonBlocking, cudaStreamDefault) {
  cudaStream_t first, second;
  CU(cudaStreamCreateWithFlags(&first, flags));
  CU(cudaStreamCreateWithFlags(&second, flags));
  int *p = allocate(first), *q = buffer<int>(COUNT);
  CU(cudaMemsetAsync(q, 0, BYTES, 0));
  touch<<<1, COUNT, 0, second>>>(p); // BUG: legacy_stream
  CU(cudaFreeAsync(p, second));
  CU(cudaDeviceSynchronize());
  release(q);
  CU(cudaStreamDestroy(first));
  CU(cudaStreamDestroy(second));
}

// What orders, besides events in streams: `between` runs after work of the first stream and before that of the second.
static void order_by(void (*between)(const Streams &s, int *p)) {
  Streams s;
  int *p = allocate(s[0]);
  touch<<<1, COUNT, 0, s[0]>>>(p);
  between(s, p);
  touch<<<1, COUNT, 0, s[1]>>>(p);
  CU(cudaStreamSynchronize(s[1]));
  CU(cudaFreeAsync(p, s[2]));
}
static std::atomic<int> told;
static void tell(void *) {
  told = 1;
}

CASE(stream_synchronized) {
  order_by([](const Streams &s, int *p) { CU(cudaStreamSynchronize(s[0])); });
}

CASE(device_synchronized) {
  order_by([](const Streams &, int *) { CU(cudaDeviceSynchronize()); });
}

CASE(stream_queried) {
  order_by([](const Streams &s, int *p) {
    while (cudaStreamQuery(s[0]) == cudaErrorNotReady)
      ;
  });
}

CASE(event_synchronized) {
  order_by([](const Streams &s, int *p) {
    cudaEvent_t event;
    CU(cudaEventCreate(&event));
    CU(cudaEventRecord(event, s[0]));
    CU(cudaEventSynchronize(event));
    CU(cudaEventDestroy(event));
  });
}

CASE(event_queried) {
  order_by([](const Streams &s, int *p) {
    cudaEvent_t event;
    CU(cudaEventCreate(&event));
    CU(cudaEventRecord(event, s[0]));
    while (cudaEventQuery(event) == cudaErrorNotReady)
      ;
    CU(cudaEventDestroy(event));
  });
}

CASE(memory_freed) {
  order_by([](const Streams &, int *) { release(buffer<int>(1)); });
}

CASE(host_function) {
  order_by([](const Streams &s, int *p) {
    told = 0;
    CU(cudaLaunchHostFunc(s[0], tell, nullptr));
    while (!told)
      ;
  });
}

CASE(flag_in_host_memory) {
  order_by([](const Streams &s, int *p) {
    int *flag;
    CU(cudaMallocHost((void **)&flag, sizeof *flag));
    *flag = 0;
    touch_and_tell<<<1, 1, 0, s[0]>>>(p, flag);
    while (!*(volatile int *)flag)
      ;
    CU(cudaFreeHost(flag));
  });
}

CASE(copy_waited_for) {
  order_by([](const Streams &s, int *p) {
    int first;
    CU(cudaStreamSynchronize(s[0]));
    CU(cudaMemcpy(&first, p, sizeof first, cudaMemcpyDeviceToHost));
  });
}

CASE(one_stream) {
  Streams s;
  for (int i = 0; i < 10; i++) {
    int *p = allocate(s[0]);
    touch<<<1, COUNT, 0, s[0]>>>(p);
    CU(cudaFreeAsync(p, s[0]));
  }
  int *p = allocate(0);
  touch<<<1, COUNT>>>(p);
  CU(cudaFree(p));
}

// An event that a graph records, and more streams than CuSafe follows.
CASE(graph_records_event) {
  Streams s;
  cudaEvent_t event;
  cudaGraph_t graph;
  cudaGraphNode_t node;
  cudaGraphExec_t executable;
  CU(cudaEventCreate(&event));
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphAddEventRecordNode(&node, graph, nullptr, 0, event));
  CU(cudaGraphInstantiate(&executable, graph, 0));
  int *p = allocate(s[0]);
  CU(cudaGraphLaunch(executable, s[0]));
  CU(cudaStreamWaitEvent(s[1], event, 0));
  touch<<<1, COUNT, 0, s[1]>>>(p);
  CU(cudaFreeAsync(p, s[1]));
  CU(cudaStreamSynchronize(s[1]));
  CU(cudaGraphExecDestroy(executable));
  CU(cudaGraphDestroy(graph));
  CU(cudaEventDestroy(event));
}

CASE(many_streams) {
  enum { STREAMS = 80 };
  cudaStream_t s[STREAMS];
  for (cudaStream_t &each : s)
    CU(cudaStreamCreateWithFlags(&each, cudaStreamNonBlocking));
  int *p = allocate(s[0]);
  for (int i = 1; i < STREAMS; i++) {
    order(s[i - 1], s[i]);
    touch<<<1, COUNT, 0, s[i]>>>(p);
  }
  CU(cudaFreeAsync(p, s[STREAMS - 1]));
  CU(cudaDeviceSynchronize());
  for (cudaStream_t each : s)
    CU(cudaStreamDestroy(each));
}

static void wait_until_told(void *) {
  while (!told)
    ;
}

// A stream that waits for the host may wait for any other stream.
CASE(use_waits_for_host) {
  Streams s;
  told = 0;
  int *p = allocate(s[0]);
  CU(cudaLaunchHostFunc(s[1], wait_until_told, nullptr));
  touch<<<1, COUNT, 0, s[1]>>>(p);
  CU(cudaStreamSynchronize(s[0]));
  told = 1;
  CU(cudaDeviceSynchronize());
  CU(cudaFreeAsync(p, s[0]));
  CU(cudaDeviceSynchronize());
}
