// checks_off.cu: programs that turn checks off and on for a thread or a stream (cusafe/cusafe.h).
#include "case.h"
#include <cuda.h>
#include <cusafe/cusafe.h>
#include <dlfcn.h>
#include <thread>

// Bytes past the end of these buffers are in their windows, so an unchecked access harms nothing.
enum { kCount = 100 };

__global__ void put(int *a, int i) {
  a[i] = 1; // BUG: thread_on_again checked_stream other_thread on_before_launch stream_on_again default_stream
}
__global__ void put_late(int *a, int i) {
  a[i] = 2; // BUG: after_free after_errors_off
}

__global__ void put_again(int *a, int i) {
  a[i] = 3; // BUG: stream_destroyed
}

TWINS(thread_on_again, bool on, true, false) {
  int *a = buffer<int>(kCount);
  cusafe_thread_checks(0);
  cusafe_thread_checks(on);
  put<<<1, 1>>>(a, kCount);
  LAUNCHED();
  cusafe_thread_checks(1);
  release(a);
}

// An error while checks are off leaves nothing behind: the same line is reported later.
TWINS(after_errors_off, int i, kCount, 0) {
  int *a = buffer<int>(kCount);
  cusafe_thread_checks(0);
  for (int k = 0; k < 3; k++)
    put_late<<<1, 1>>>(a, kCount);
  cusafe_thread_checks(1);
  put_late<<<1, 1>>>(a, i);
  LAUNCHED();
  release(a);
}

// A launch that is queued before checks are turned off is checked, however late it runs.
__global__ void wait(int *a, long turns) {
  for (long i = 0; i < turns; i++)
    ((volatile int *)a)[1] = (int)i;
}
TWINS(on_before_launch, int i, kCount, 0) {
  int *a = buffer<int>(kCount);
  wait<<<1, 1>>>(a, 3000000);
  put<<<1, 1>>>(a, i);
  cusafe_thread_checks(0);
  put<<<1, 1>>>(a, kCount);
  LAUNCHED();
  cusafe_thread_checks(1);
  release(a);
}

TWINS(other_thread, bool here, true, false) {
  int *a = buffer<int>(kCount);
  std::thread([] { cusafe_thread_checks(0); }).join();
  if (!here)
    cusafe_thread_checks(0);
  put<<<1, 1>>>(a, kCount);
  LAUNCHED();
  cusafe_thread_checks(1);
  release(a);
}

TWINS(checked_stream, bool wrong, true, false) {
  cudaStream_t off, on;
  int *a = buffer<int>(kCount);
  CU(cudaStreamCreate(&off));
  CU(cudaStreamCreate(&on));
  cusafe_stream_checks(off, 0);
  put<<<1, 1, 0, wrong ? on : off>>>(a, kCount);
  put<<<1, 1, 0, on>>>(a, 0);
  LAUNCHED();
  cusafe_stream_checks(off, 1);
  CU(cudaStreamDestroy(off));
  CU(cudaStreamDestroy(on));
  release(a);
}

TWINS(stream_on_again, bool on, true, false) {
  cudaStream_t s;
  int *a = buffer<int>(kCount);
  CU(cudaStreamCreate(&s));
  cusafe_stream_checks(s, 0);
  cusafe_stream_checks(s, on);
  put<<<1, 1, 0, s>>>(a, kCount);
  LAUNCHED();
  cusafe_stream_checks(s, 1);
  CU(cudaStreamDestroy(s));
  release(a);
}

TWINS(after_free, bool off, false, true) {
  int *a = buffer<int>(kCount), *b = buffer<int>(kCount);
  cusafe_thread_checks(!off);
  release(a);
  put_late<<<1, 1>>>(off ? b : a, off ? kCount : 0);
  LAUNCHED();
  cusafe_thread_checks(1);
  release(b);
}

TWINS(copy, bool on, true, false) {
  static int host[kCount + 1];
  int *a = buffer<int>(kCount);
  cusafe_thread_checks(on);
  CU(cudaMemcpy(a, host, sizeof host, cudaMemcpyHostToDevice)); // BUG: copy
  cusafe_thread_checks(1);
  release(a);
}

TWINS(fill_in_stream, bool on, true, false) {
  cudaStream_t s;
  int *a = buffer<int>(kCount);
  CU(cudaStreamCreate(&s));
  cusafe_stream_checks(s, on);
  CU(cudaMemsetAsync(a, 1, (kCount + 1) * sizeof(int), s)); // BUG: fill_in_stream
  CU(cudaStreamSynchronize(s));
  cusafe_stream_checks(s, 1);
  CU(cudaStreamDestroy(s));
  release(a);
}

// What is carried out without checks is carried out as it is.
CASE(results) {
  int *a = buffer<int>(kCount);
  cusafe_thread_checks(0);
  for (int i = 0; i < kCount; i++)
    put<<<1, 1>>>(a, i);
  put<<<1, 1>>>(a, kCount);
  LAUNCHED();
  EXPECT(value(a) == 1 && value(a + kCount - 1) == 1 && value(a + kCount) == 1);
  cusafe_thread_checks(1);
  release(a);
}

// A stream that is captured while the checks of others change stays captured.
CASE(during_capture) {
  int *a = buffer<int>(kCount), *b = buffer<int>(kCount);
  cudaStream_t captured, other;
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CU(cudaStreamCreate(&captured));
  CU(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
  CU(cudaStreamBeginCapture(captured, cudaStreamCaptureModeGlobal));
  put<<<1, 1, 0, captured>>>(a, 1);
  put<<<1, 1, 0, other>>>(b, 1);
  cusafe_thread_checks(0);
  put<<<1, 1, 0, other>>>(b, kCount);
  cusafe_thread_checks(1);
  put<<<1, 1, 0, other>>>(b, 2);
  put<<<1, 1, 0, captured>>>(a, 2);
  CU(cudaStreamEndCapture(captured, &graph));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  CU(cudaGraphLaunch(exec, captured));
  CU(cudaDeviceSynchronize());
  EXPECT(value(a + 2) == 1 && value(b + 2) == 1);
}

// The driver gives the handle of a stream that was destroyed to a new one, which is checked.
TWINS(stream_destroyed, int i, kCount, 0) {
  int *a = buffer<int>(kCount);
  cudaStream_t s;
  for (int k = 0; k < 20; k++) {
    CU(cudaStreamCreate(&s));
    cusafe_stream_checks(s, 0);
    CU(cudaStreamDestroy(s));
    CU(cudaStreamCreate(&s));
    put_again<<<1, 1, 0, s>>>(a, i);
  }
  LAUNCHED();
}

// The legacy default stream has two handles.
CASE(legacy_stream) {
  int *a = buffer<int>(kCount);
  cusafe_stream_checks(cudaStreamLegacy, 0);
  put<<<1, 1>>>(a, kCount);
  CU(cudaMemset(a, 0, (kCount + 1) * sizeof(int)));
  cusafe_stream_checks(0, 1);
  put<<<1, 1>>>(a, 0);
  LAUNCHED();
}

// A launch on stream 0 of a program that was compiled with --default-stream per-thread.
TWINS(default_stream, bool legacy, true, false) {
  cudaStream_t off = legacy ? cudaStreamLegacy : cudaStreamPerThread;
  auto launch = (decltype(&cuLaunchKernel))dlsym(RTLD_DEFAULT, "cuLaunchKernel_ptsz");
  int *a = buffer<int>(kCount), i = kCount;
  void *arguments[] = {&a, &i};
  cudaFunction_t kernel;
  CU(cudaGetFuncBySymbol(&kernel, (const void *)put));
  cusafe_stream_checks(off, 0);
  EXPECT(launch(kernel, 1, 1, 1, 1, 1, 1, 0, 0, arguments, nullptr) == CUDA_SUCCESS);
  LAUNCHED();
  cusafe_stream_checks(off, 1);
  release(a);
}
