// clock64, clock and the global timer never run backwards, and time passes while a thread works.
#include "../check.h"

__global__ void measure(long long *start, long long *stop, int *sink, int *backwards) {
  int t = threadIdx.x, sum = 0;
  long long last = clock64();
  start[t] = last;
  for (int i = 0; i < 200; i++) {
    sum = sum * 31 + i;
    long long now = clock64();
    if (now < last)
      atomicAdd(backwards, 1);
    last = now;
  }
  sink[t] = sum;
  stop[t] = clock64();
}

int main() {
  const int n = 32;
  Array<long long> start(n), stop(n);
  Array<int> sink(n), backwards(1);
  backwards.upload();
  measure<<<1, n>>>(start.device, stop.device, sink.device, backwards.device);
  LAUNCHED();
  start.download();
  stop.download();
  sink.download();
  backwards.download();
  EXPECT(backwards[0] == 0);
  for (int i = 0; i < n; i++)
    EXPECT(stop[i] > start[i]);
  sink.show("work");
  return verdict();
}
