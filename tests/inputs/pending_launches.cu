/* Errors of kernels that several launches, or a graph, may have caused. The argument chooses the case. */
#include <cstdlib>

__device__ __noinline__ void put(int *p, int i) {
  p[i] = i; // BUG
}

__global__ void first(int *p, int n) {
  put(p, n + threadIdx.x);
}

__global__ void second(int *p, int n) {
  put(p, n + threadIdx.x);
}

__global__ void alone(int *p, int n) {
  p[n + threadIdx.x] = n; // BUG
}

static void several_launches(int *p) {
  alone<<<1, 1>>>(p, 0);
  for (int i = 9; i < 11; i++)
    alone<<<1, 1>>>(p, i);
}

static void several_kernels(int *p) {
  first<<<1, 1>>>(p, 0);
  second<<<1, 1>>>(p, 10);
}

/* Thread 3 of a block is only in the second. */
static void one_has_the_thread(int *p) {
  first<<<1, 1>>>(p, 0);
  second<<<1, 4>>>(p, 7);
}

static void captured(int *p) {
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  first<<<1, 1, 0, stream>>>(p, 0);
  alone<<<1, 1, 0, stream>>>(p, 10);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphDestroy(graph);
  cudaDeviceSynchronize();
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
}

static void added(int *p) {
  cudaGraph_t graph, parent;
  cudaGraphExec_t executable;
  cudaGraphNode_t node, child;
  int n = 10;
  void *arguments[] = {&p, &n};
  cudaKernelNodeParams params = {};
  params.func = (void *)alone;
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&node, graph, nullptr, 0, &params);
  cudaGraphCreate(&parent, 0);
  cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, graph);
  cudaGraphInstantiate(&executable, parent, 0);
  cudaGraphLaunch(executable, 0);
}

/* The kernel waits until the host has synchronised with another stream. */
__global__ void waits(int *p, int n, volatile int *go) {
  while (!*go)
    ;
  p[n] = n; // BUG
}

static void still_running(int *p) {
  cudaStream_t running, other;
  int *go;
  cudaMallocManaged(&go, sizeof *go);
  cudaStreamCreateWithFlags(&running, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  *go = 0;
  waits<<<1, 1, 0, running>>>(p, 10, go);
  cudaStreamSynchronize(other);
  *(volatile int *)go = 1;
  cudaStreamSynchronize(running);
}

int main(int, char **arguments) {
  static void (*const cases[])(int *) = {several_launches, several_kernels, one_has_the_thread,
                                         captured,         added,           still_running};
  int *p;
  cudaMalloc(&p, 40);
  cases[atoi(arguments[1])](p);
  return cudaDeviceSynchronize() != cudaSuccess;
}
