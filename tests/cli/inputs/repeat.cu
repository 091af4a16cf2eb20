// repeat.cu: launches that repeat an earlier one. graph: then one is captured, which writes past the buffer. stop: then one has a wild pointer.
// streams: in streams that come and go, in two threads. shapes: of three shapes in turn, all past the buffer.
#include <cstdio>
#include <cstring>
#include <thread>

__global__ void put(int *to, int at, int stop) {
  if (stop)
    to = (int *)((size_t)stop * 4096);
  to[at] = 1;
}

static int *p;

static int graph(cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  put<<<1, 1, 0, stream>>>(p, 10, 0);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  return 0;
}

static int stop(cudaStream_t stream) {
  for (int i = 0; i < 12; i++) {
    put<<<1, 1, 0, stream>>>(p, i % 10, 0);
    cudaStreamSynchronize(stream);
  }
  cudaDeviceSynchronize();
  put<<<1, 1, 0, stream>>>(p, 0, 1);
  return 0;
}

static void use_streams() {
  for (int i = 0; i < 20; i++) {
    cudaStream_t stream;
    int *buffer;
    cudaStreamCreate(&stream);
    cudaMalloc(&buffer, 4);
    for (int k = 0; k < 5; k++)
      put<<<1, 1, 0, stream>>>(buffer, 0, 0);
    cudaFree(buffer);
    cudaStreamDestroy(stream);
  }
}

static int streams(cudaStream_t) {
  std::thread other(use_streams);
  use_streams();
  other.join();
  return 0;
}

static int shapes(cudaStream_t stream) {
  for (int i = 0; i < 60; i++)
    put<<<1 + i % 3, 1, 0, stream>>>(p, 10, 0);
  return 0;
}

int main(int, char **argv) {
  cudaStream_t stream;
  cudaMalloc(&p, 10 * sizeof *p);
  cudaStreamCreate(&stream);
  if (!strcmp(argv[1], "graph")) {
    for (int i = 0; i < 12; i++)
      put<<<1, 1, 0, stream>>>(p, i % 10, 0);
    graph(stream);
  } else if (!strcmp(argv[1], "stop"))
    stop(stream);
  else if (!strcmp(argv[1], "streams"))
    streams(stream);
  else
    shapes(stream);
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s\n", cudaGetErrorName(error));
  return error != cudaSuccess && strcmp(argv[1], "stop");
}
