// streams.cu: streams and events: order within and between streams, the default streams, callbacks, priorities, timing.
#include "conformance.h"
#include <atomic>
#include <thread>

// A slow kernel, so that a missing dependency would change the result.
__global__ void slowly(int *to, int value) {
  long long end = clock64() + 200000;
  while (clock64() < end)
    ;
  *to = value;
}
__global__ void plus_one(const int *from, int *to) {
  *to = *from + 1;
}
struct Stream {
  cudaStream_t s;
  explicit Stream(unsigned flags = cudaStreamDefault) { CU(cudaStreamCreateWithFlags(&s, flags)); }
  ~Stream() { CU(cudaStreamDestroy(s)); }
  operator cudaStream_t() const { return s; }
};
struct Event {
  cudaEvent_t e;
  explicit Event(unsigned flags = cudaEventDefault) { CU(cudaEventCreateWithFlags(&e, flags)); }
  ~Event() { CU(cudaEventDestroy(e)); }
  operator cudaEvent_t() const { return e; }
};

CASE(order_within_a_stream) {
  Stream s;
  int *a = buffer<int>(1);
  slowly<<<1, 1, 0, s>>>(a, 5);
  for (int i = 0; i < 20; i++)
    plus_one<<<1, 1, 0, s>>>(a, a);
  CU(cudaStreamSynchronize(s));
  EXPECT(value(a) == 25);
  release(a);
}

CASE(legacy_default_stream_waits_for_others) {
  Stream s;
  int *a = buffer<int>(2);
  slowly<<<1, 1, 0, s>>>(a, 7);
  plus_one<<<1, 1>>>(a, a + 1);       // after s
  plus_one<<<1, 1, 0, s>>>(a + 1, a); // after the default stream
  CU(cudaStreamSynchronize(s));
  EXPECT(value(a + 1) == 8 && value(a) == 9);
  release(a);
}

CASE(explicit_legacy_stream) {
  Stream s;
  int *a = buffer<int>(2);
  slowly<<<1, 1, 0, s>>>(a, 1);
  plus_one<<<1, 1, 0, cudaStreamLegacy>>>(a, a + 1);
  CU(cudaStreamSynchronize(cudaStreamLegacy));
  EXPECT(value(a + 1) == 2);
  release(a);
}

CASE(non_blocking_stream_with_event) {
  Stream s(cudaStreamNonBlocking);
  unsigned flags;
  CU(cudaStreamGetFlags(s, &flags));
  EXPECT(flags == cudaStreamNonBlocking);
  int *a = buffer<int>(2);
  CU(cudaDeviceSynchronize());
  Event done;
  slowly<<<1, 1, 0, s>>>(a, 3);
  CU(cudaEventRecord(done, s));
  CU(cudaStreamWaitEvent(0, done, 0));
  plus_one<<<1, 1>>>(a, a + 1);
  CU(cudaDeviceSynchronize());
  EXPECT(value(a + 1) == 4);
  release(a);
}

CASE(per_thread_stream) {
  int *a = buffer<int>(2);
  slowly<<<1, 1, 0, cudaStreamPerThread>>>(a, 11);
  plus_one<<<1, 1, 0, cudaStreamPerThread>>>(a, a + 1);
  CU(cudaStreamSynchronize(cudaStreamPerThread));
  EXPECT(value(a + 1) == 12);
  std::thread([=] {
    plus_one<<<1, 1, 0, cudaStreamPerThread>>>(a + 1, a);
    CU(cudaStreamSynchronize(cudaStreamPerThread));
  }).join();
  EXPECT(value(a) == 13);
  release(a);
}

CASE(stream_query) {
  Stream s;
  int *a = buffer<int>(1);
  CU(cudaDeviceSynchronize());
  EXPECT(cudaStreamQuery(s) == cudaSuccess);
  std::atomic<bool> go(false);
  CU(cudaLaunchHostFunc(
      s,
      [](void *go) {
        while (!*(std::atomic<bool> *)go)
          std::this_thread::yield();
      },
      &go));
  plus_one<<<1, 1, 0, s>>>(a, a);
  EXPECT(cudaStreamQuery(s) == cudaErrorNotReady);
  cudaGetLastError();
  go = true;
  CU(cudaStreamSynchronize(s));
  EXPECT(cudaStreamQuery(s) == cudaSuccess && value(a) == 1);
  release(a);
}

CASE(host_functions_in_order) {
  Stream s;
  std::vector<int> order;
  struct Step {
    std::vector<int> *order;
    int number;
  } steps[3] = {{&order, 1}, {&order, 2}, {&order, 3}};
  int *a = buffer<int>(1), seen = 0;
  for (auto &step : steps)
    CU(cudaLaunchHostFunc(s, [](void *p) { ((Step *)p)->order->push_back(((Step *)p)->number); }, &step));
  slowly<<<1, 1, 0, s>>>(a, 9);
  CU(cudaMemcpyAsync(&seen, a, sizeof seen, cudaMemcpyDeviceToHost, s));
  CU(cudaLaunchHostFunc(s, [](void *p) { *(int *)p += 100; }, &seen));
  CU(cudaStreamSynchronize(s));
  EXPECT(order == (std::vector<int>{1, 2, 3}) && seen == 109);
  release(a);
}

CASE(stream_callbacks) {
  Stream s;
  static cudaStream_t given;
  static cudaError_t status = cudaErrorUnknown;
  int calls = 0;
  CU(cudaStreamAddCallback(
      s,
      [](cudaStream_t stream, cudaError_t error, void *p) {
        given = stream, status = error;
        ++*(int *)p;
      },
      &calls, 0));
  CU(cudaStreamSynchronize(s));
  EXPECT(calls == 1 && given == (cudaStream_t)s && status == cudaSuccess);
}

CASE(priorities) {
  int least, greatest, got;
  CU(cudaDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT(greatest <= least);
  cudaStream_t s;
  CU(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, greatest));
  CU(cudaStreamGetPriority(s, &got));
  EXPECT(got == greatest);
  CU(cudaStreamDestroy(s));
  CU(cudaStreamCreateWithPriority(&s, cudaStreamDefault, greatest - 100)); // clamped to the valid range
  CU(cudaStreamGetPriority(s, &got));
  EXPECT(got == greatest);
  CU(cudaStreamDestroy(s));
}

CASE(identifiers) {
  Stream s, t;
  unsigned long long a, b;
  int device = -1;
  CU(cudaStreamGetId(s, &a));
  CU(cudaStreamGetId(t, &b));
  CU(cudaStreamGetDevice(s, &device));
  EXPECT(a != b && device == 0);
}

CASE(destroyed_stream_completes_its_work) {
  cudaStream_t s;
  int *a = buffer<int>(1);
  CU(cudaStreamCreate(&s));
  slowly<<<1, 1, 0, s>>>(a, 77);
  CU(cudaStreamDestroy(s));
  CU(cudaDeviceSynchronize());
  EXPECT(value(a) == 77);
  release(a);
}

CASE(events_between_streams) {
  Stream s, t, u;
  Event first(cudaEventDisableTiming), second(cudaEventDisableTiming);
  int *a = buffer<int>(3);
  slowly<<<1, 1, 0, s>>>(a, 20);
  CU(cudaEventRecord(first, s));
  CU(cudaStreamWaitEvent(t, first, 0));
  plus_one<<<1, 1, 0, t>>>(a, a + 1);
  CU(cudaEventRecord(second, t));
  CU(cudaStreamWaitEvent(u, second, 0));
  plus_one<<<1, 1, 0, u>>>(a + 1, a + 2);
  CU(cudaStreamSynchronize(u));
  EXPECT(value(a + 2) == 22);
  release(a);
}

CASE(event_recorded_again) {
  Stream s, t;
  Event e(cudaEventDisableTiming);
  int *a = buffer<int>(2);
  plus_one<<<1, 1, 0, s>>>(a, a);
  CU(cudaEventRecord(e, s));
  slowly<<<1, 1, 0, s>>>(a, 50);
  CU(cudaEventRecord(e, s)); // the last record counts
  CU(cudaStreamWaitEvent(t, e, 0));
  plus_one<<<1, 1, 0, t>>>(a, a + 1);
  CU(cudaEventSynchronize(e));
  CU(cudaStreamSynchronize(t));
  EXPECT(value(a + 1) == 51);
  release(a);
}

CASE(wait_for_an_event_never_recorded) {
  Stream s;
  Event e;
  int *a = buffer<int>(1);
  CU(cudaStreamWaitEvent(s, e, 0));
  plus_one<<<1, 1, 0, s>>>(a, a);
  CU(cudaStreamSynchronize(s));
  EXPECT(value(a) == 1);
  release(a);
}

CASE(event_query) {
  Stream s;
  Event e;
  std::atomic<bool> go(false);
  CU(cudaLaunchHostFunc(
      s,
      [](void *go) {
        while (!*(std::atomic<bool> *)go)
          std::this_thread::yield();
      },
      &go));
  CU(cudaEventRecord(e, s));
  EXPECT(cudaEventQuery(e) == cudaErrorNotReady);
  cudaGetLastError();
  float ms;
  Event later;
  CU(cudaEventRecord(later, s));
  EXPECT(cudaEventElapsedTime(&ms, e, later) == cudaErrorNotReady);
  cudaGetLastError();
  go = true;
  CU(cudaEventSynchronize(later));
  EXPECT(cudaEventQuery(e) == cudaSuccess);
}

CASE(elapsed_time) {
  Event start, middle, stop;
  float whole, part, back;
  CU(cudaEventRecord(start));
  CU(cudaLaunchHostFunc(0, [](void *) { usleep(20000); }, nullptr));
  CU(cudaEventRecord(middle));
  CU(cudaLaunchHostFunc(0, [](void *) { usleep(10000); }, nullptr));
  CU(cudaEventRecord(stop));
  CU(cudaEventSynchronize(stop));
  CU(cudaEventElapsedTime(&whole, start, stop));
  CU(cudaEventElapsedTime(&part, start, middle));
  CU(cudaEventElapsedTime(&back, stop, start));
  EXPECT(part >= 19.9f && whole >= part + 9.9f && whole < 1e6f && back == -whole);
}

CASE(streams_from_many_threads) {
  int *a = buffer<int>(8);
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; i++)
    threads.emplace_back([=] {
      Stream s(cudaStreamNonBlocking);
      for (int k = 0; k < 25; k++)
        plus_one<<<1, 1, 0, s>>>(a + i, a + i);
      CU(cudaStreamSynchronize(s));
    });
  for (auto &t : threads)
    t.join();
  for (int i = 0; i < 8; i++)
    EXPECT(value(a + i) == 25);
  release(a);
}
