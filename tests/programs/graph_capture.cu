// Stream capture with a fork and a join, memory that the graph allocates, and a second capture that updates the executable graph.
#include "../check.h"

__device__ int launches;

__global__ void fill(int *p, int n, int value) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = value + i;
  if (i == 0)
    launches++;
}

__global__ void add(int *to, const int *a, const int *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += a[i] + b[i];
}

static const int n = 1000;

static cudaGraph_t capture(cudaStream_t main, cudaStream_t side, int *to, int *b, int value) {
  cudaGraph_t graph;
  cudaEvent_t fork, join;
  CU(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
  CU(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
  CU(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  CU(cudaEventRecord(fork, main));
  CU(cudaStreamWaitEvent(side, fork, 0));
  int *a = b + n;
  fill<<<8, 128, 0, main>>>(a, n, value);
  fill<<<8, 128, 0, side>>>(b, n, 10 * value);
  CU(cudaEventRecord(join, side));
  CU(cudaStreamWaitEvent(main, join, 0));
  add<<<8, 128, 0, main>>>(to, a, b, n);
  CU(cudaStreamEndCapture(main, &graph));
  CU(cudaEventDestroy(fork));
  CU(cudaEventDestroy(join));
  return graph;
}

static long sum(const int *p) {
  static int host[n];
  long total = 0;
  CU(cudaMemcpy(host, p, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < n; i++)
    total += (long)host[i] * (i % 7 + 1);
  return total;
}

static void memory_of_the_graph(cudaStream_t stream, int *to) {
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  int *temporary;
  CU(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  CU(cudaMallocAsync((void **)&temporary, n * sizeof(int), stream));
  fill<<<8, 128, 0, stream>>>(temporary, n, 3);
  add<<<8, 128, 0, stream>>>(to, temporary, temporary, n);
  CU(cudaFreeAsync(temporary, stream));
  CU(cudaStreamEndCapture(stream, &graph));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaMemset(to, 0, n * sizeof(int)));
  for (int i = 0; i < 3; i++)
    CU(cudaGraphLaunch(exec, stream));
  CU(cudaStreamSynchronize(stream));
  int first;
  CU(cudaMemcpy(&first, to, sizeof first, cudaMemcpyDeviceToHost));
  EXPECT(first == 18);
  printf("memory: %ld\n", sum(to));
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
}

int main() {
  int *to, *work, count = 0;
  cudaStream_t main, side;
  cudaGraphExec_t exec;
  CU(cudaMalloc((void **)&to, n * sizeof(int)));
  CU(cudaMalloc((void **)&work, 2 * n * sizeof(int)));
  CU(cudaStreamCreate(&main));
  CU(cudaStreamCreateWithFlags(&side, cudaStreamNonBlocking));
  CU(cudaMemset(to, 0, n * sizeof(int)));
  cudaGraph_t graph = capture(main, side, to, work, 1);
  size_t nodes = 0, roots = 0;
  CU(cudaGraphGetNodes(graph, NULL, &nodes));
  CU(cudaGraphGetRootNodes(graph, NULL, &roots));
  printf("nodes %zu, roots %zu\n", nodes, roots);
  CU(cudaGraphInstantiate(&exec, graph, 0));
  printf("before: %ld\n", sum(to));
  for (int i = 0; i < 5; i++)
    CU(cudaGraphLaunch(exec, main));
  CU(cudaStreamSynchronize(main));
  CU(cudaMemcpyFromSymbol(&count, launches, sizeof count));
  EXPECT(count == 10);
  printf("after five: %ld\n", sum(to));
  cudaGraph_t other = capture(main, side, to, work, 2);
  cudaGraphExecUpdateResultInfo info;
  CU(cudaGraphExecUpdate(exec, other, &info));
  EXPECT(info.result == cudaGraphExecUpdateSuccess);
  CU(cudaGraphLaunch(exec, main));
  CU(cudaStreamSynchronize(main));
  printf("updated: %ld\n", sum(to));
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaGraphDestroy(other));
  memory_of_the_graph(main, to);
  CU(cudaStreamBeginCapture(main, cudaStreamCaptureModeGlobal));
  EXPECT(cudaStreamSynchronize(main) == cudaErrorStreamCaptureUnsupported);
  EXPECT(cudaStreamEndCapture(main, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  CU(cudaStreamDestroy(main));
  CU(cudaStreamDestroy(side));
  CU(cudaFree(to));
  CU(cudaFree(work));
  return verdict();
}
