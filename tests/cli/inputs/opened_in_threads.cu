// opened_in_threads.cu: threads open, use and close libraries with kernels, while others launch, look up symbols and capture.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>
#include <vector>

__device__ int own;
__global__ void fill(int *p) {
  p[threadIdx.x] = own;
}

static std::atomic<int> failures{0}, at_work{0};

static void check(bool holds) {
  failures += !holds;
}

static void open_and_close(const char *path, int rounds) {
  for (int i = 0; i < rounds; i++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    auto *run = library ? (int (*)(int))dlsym(library, "run") : nullptr;
    check(run && run(i) == i + 1);
    check(library && !dlclose(library));
  }
  at_work--;
}

static void launch() {
  int *p, value;
  void *address;
  cudaStream_t stream;
  check(!cudaMalloc(&p, 128) && !cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  do {
    cudaGraph_t graph;
    fill<<<1, 32, 0, stream>>>(p);
    check(!cudaGetSymbolAddress(&address, own));
    check(!cudaMemcpyAsync(&value, p, 4, cudaMemcpyDeviceToHost, stream) && !cudaStreamSynchronize(stream));
    check(!cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    fill<<<1, 32, 0, stream>>>(p);
    check(!cudaStreamEndCapture(stream, &graph) && !cudaGraphDestroy(graph));
  } while (at_work);
  check(!cudaStreamSynchronize(stream) && !cudaStreamDestroy(stream) && !cudaFree(p));
}

int main(int count, char **argv) {
  std::vector<std::thread> threads;
  at_work = count - 2;
  for (int i = 2; i < count; i++)
    threads.emplace_back(open_and_close, argv[i], atoi(argv[1]));
  for (int i = 0; i < 2; i++)
    threads.emplace_back(launch);
  for (auto &thread : threads)
    thread.join();
  printf("failures: %d\n", failures.load());
  return failures != 0;
}
