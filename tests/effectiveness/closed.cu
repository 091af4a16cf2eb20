// closed.cu: kernels without checks (the program is built with --bare), which only the bytes next to buffers show to have written out of
// bounds (option canaries). The line of a case is the launch, where one launch can have written there, and otherwise the call that found it.
#include "case.h"
#include <cuda.h>
#include <cusafe/cusafe.h>
#include <vector>

__global__ void put(char *p, long i) {
  p[i] = 1;
}
__global__ void put_words(int *p, long first, long count) {
  for (long i = 0; i < count; i++)
    p[first + i] = (int)i;
}
struct Pair {
  long i;
  char *p;
};
__global__ void put_in_struct(Pair pair) {
  pair.p[pair.i] = 1;
}
__global__ void put_through_table(char **table, long i) {
  table[0][i] = 1;
}
__global__ void nothing(char *) {}

static char *allocate(size_t bytes) {
  void *p;
  CU(cudaMalloc(&p, bytes));
  return (char *)p;
}

TWINS(past_end, long i, 100, 99) {
  char *p = allocate(100);
  put<<<1, 1>>>(p, i); // BUG: past_end
  CU(cudaFree(p));
}

TWINS(past_end_at_launch, long i, 100, 99) {
  char *p = allocate(100);
  put<<<1, 1>>>(p, i); // BUG: past_end_at_launch
  put<<<1, 1>>>(p, 0);
  CU(cudaFree(p));
}

TWINS(end_of_slack, long i, 255, 99) {
  char *p = allocate(100);
  put<<<1, 1>>>(p, i); // BUG: end_of_slack
  CU(cudaFree(p));
}

TWINS(words, long count, 26, 25) {
  int *p = (int *)allocate(100);
  put_words<<<1, 1>>>(p, 0, count); // BUG: words
  CU(cudaFree(p));
}

TWINS(power_of_two, long i, 4096, 4095) {
  char *p = allocate(4096);
  put<<<1, 1>>>(p, i); // BUG: power_of_two
  CU(cudaFree(p));
}

TWINS(past_large, long i, (3 << 20) + 4, (3 << 20) + 3) {
  char *p = allocate((3 << 20) + 4);
  put<<<1, 1>>>(p, i); // BUG: past_large
  CU(cudaFree(p));
}

TWINS(before_start, long i, -1, 0) {
  char *first = allocate(100), *second = allocate(100);
  put<<<1, 1>>>(second, i); // BUG: before_start
  CU(cudaFree(first));
  CU(cudaFree(second));
}

TWINS(managed, long i, 1000, 999) {
  char *p;
  CU(cudaMallocManaged((void **)&p, 1000));
  put<<<1, 1>>>(p, i); // BUG: managed
  CU(cudaDeviceSynchronize());
  memset(p, 0, 1000);
  CU(cudaFree(p));
}

TWINS(pinned, long i, 1000, 999) {
  char *p;
  CU(cudaMallocHost((void **)&p, 1000));
  put<<<1, 1>>>(p, i); // BUG: pinned
  CU(cudaDeviceSynchronize());
  memset(p, 0, 1000);
  CU(cudaFreeHost(p));
}

TWINS(pitched, long row, 3, 2) {
  char *p;
  size_t pitch;
  CU(cudaMallocPitch((void **)&p, &pitch, 100, 3));
  put<<<1, 1>>>(p, (long)pitch * row + (row == 2 ? 99 : 0)); // BUG: pitched
  CU(cudaFree(p));
}

TWINS(stream_ordered, long i, 100, 99) {
  char *p;
  CU(cudaMallocAsync((void **)&p, 100, 0));
  put<<<1, 1>>>(p, i); // BUG: stream_ordered
  CU(cudaFreeAsync(p, 0));
  CU(cudaDeviceSynchronize());
}

TWINS(never_freed, long i, 100, 99) {
  put<<<1, 1>>>(allocate(100), i); // BUG: never_freed
}

TWINS(of_several_launches, long i, 100, 99) {
  char *p = allocate(100);
  for (int n = 0; n < 3; n++)
    put<<<1, 1>>>(p, n == 1 ? i : 0);
  CU(cudaFree(p)); // BUG: of_several_launches
}

TWINS(in_struct, long i, 100, 99) {
  char *p = allocate(100);
  Pair pair = {i, p};
  put_in_struct<<<1, 1>>>(pair); // BUG: in_struct
  CU(cudaFree(p));
}

TWINS(through_table, long i, 100, 99) {
  char *p = allocate(100), **table = (char **)allocate(sizeof(char *));
  CU(cudaMemcpy(table, &p, sizeof p, cudaMemcpyHostToDevice));
  put_through_table<<<1, 1>>>(table, i);
  CU(cudaFree(table));
  CU(cudaFree(p)); // BUG: through_table
}

TWINS(in_graph, long i, 100, 99) {
  char *p = allocate(100);
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  CU(cudaStreamCreate(&stream));
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  put<<<1, 1, 0, stream>>>(p, i);
  CU(cudaStreamEndCapture(stream, &graph));
  CU(cudaGraphInstantiate(&executable, graph, 0));
  CU(cudaGraphLaunch(executable, stream));
  CU(cudaStreamSynchronize(stream));
  CU(cudaFree(p)); // BUG: in_graph
  CU(cudaGraphExecDestroy(executable));
  CU(cudaGraphDestroy(graph));
  CU(cudaStreamDestroy(stream));
}

TWINS(after_reuse, long i, 100, 99) {
  char *other = allocate(100);
  put<<<1, 1>>>(other, 0);
  churn(300, 100);
  char *p = allocate(100);
  put<<<1, 1>>>(p, i); // BUG: after_reuse
  CU(cudaFree(p));
  CU(cudaFree(other));
}

TWINS(by_host_code, long i, 1000, 999) {
  char *p;
  CU(cudaMallocManaged((void **)&p, 1000));
  nothing<<<1, 1>>>(p);
  CU(cudaDeviceSynchronize());
  nothing<<<1, 1>>>(p);
  CU(cudaDeviceSynchronize());
  p[i] = 1;
  CU(cudaFree(p)); // BUG: by_host_code
}

// Programs that write every byte of their buffers in every permitted way.
CASE(whole_buffers) {
  for (size_t bytes :
       {1ul, 64ul, 100ul, 255ul, 256ul, 4096ul, 65536ul, 1ul << 20, (2ul << 20) - 1, 2ul << 20, 5000000ul}) {
    char *p = allocate(bytes), *q = allocate(bytes);
    std::vector<char> host(bytes, 7);
    nothing<<<1, 1>>>(p);
    CU(cudaMemset(p, 1, bytes));
    CU(cudaMemcpy(q, p, bytes, cudaMemcpyDeviceToDevice));
    CU(cudaMemcpy(p, host.data(), bytes, cudaMemcpyHostToDevice));
    put<<<1, 1>>>(q, (long)bytes - 1);
    put<<<1, 1>>>(p, 0);
    CU(cudaMemcpyAsync(host.data(), p, bytes, cudaMemcpyDeviceToHost));
    CU(cudaFree(q));
    CU(cudaFree(p));
  }
}

CASE(memory_reused) {
  std::vector<char *> live;
  for (int n = 0; n < 3000; n++) {
    size_t bytes = 1 + (size_t)n * 37 % 700;
    char *p = allocate(bytes);
    if (n % 16 == 0)
      put<<<1, 1>>>(p, (long)bytes - 1);
    live.push_back(p);
    if (live.size() > 50) {
      CU(cudaFree(live[(size_t)n % 50]));
      live[(size_t)n % 50] = live.back();
      live.pop_back();
    }
  }
  for (char *p : live)
    CU(cudaFree(p));
}

CASE(sub_allocations) {
  char *p = allocate(4096);
  char *first = (char *)cusafe_carve(p, 100), *second = (char *)cusafe_carve(p + 512, 100);
  put<<<1, 1>>>(first, 99);
  put<<<1, 1>>>(second, 0);
  put<<<1, 1>>>(p, 4095);
  CU(cudaDeviceSynchronize());
  cusafe_give_back(first, 0);
  put<<<1, 1>>>(p, 0);
  CU(cudaFree(p));
}

CASE(device_reset) {
  char *p = allocate(100);
  put<<<1, 1>>>(p, 99);
  CU(cudaDeviceReset());
  p = allocate(100);
  put<<<1, 1>>>(p, 99);
  CU(cudaFree(p));
}

CASE(streams_and_events) {
  cudaStream_t streams[3];
  char *p[3];
  for (int i = 0; i < 3; i++) {
    CU(cudaStreamCreateWithFlags(&streams[i], cudaStreamNonBlocking));
    CU(cudaMallocAsync((void **)&p[i], 1000, streams[i]));
    put<<<1, 1, 0, streams[i]>>>(p[i], 999);
  }
  for (int i = 0; i < 3; i++) {
    CU(cudaFreeAsync(p[i], streams[i]));
    CU(cudaStreamSynchronize(streams[i]));
    CU(cudaStreamDestroy(streams[i]));
  }
}

// A stream that is captured while launches in others are waited for stays captured.
CASE(during_capture) {
  char *p = allocate(100), *q = allocate(100);
  cudaStream_t captured, other;
  cudaGraph_t graph;
  CU(cudaStreamCreate(&captured));
  CU(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CU(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
  put<<<1, 1, 0, captured>>>(p, 99);
  put<<<1, 1, 0, other>>>(q, 99);
  put<<<1, 1, 0, captured>>>(p, 98);
  CU(cudaStreamEndCapture(captured, &graph));
  CU(cudaGraphDestroy(graph));
  CU(cudaFree(p));
  CU(cudaFree(q));
}

// The launch that had a part of the buffer as an argument counts, too.
TWINS(of_sub_allocation, long i, 1000, 999) {
  char *whole = allocate(5000), *part = (char *)cusafe_carve(whole + 4000, 1000);
  put<<<1, 1>>>(part, i); // BUG: of_sub_allocation
  cusafe_give_back(part, 0);
  CU(cudaFree(whole));
}
