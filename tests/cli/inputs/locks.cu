// Correct uses of streams, and ends of a process, in which a checked run may wait for nothing that the bare one does not wait for.
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/time.h>
#include <unistd.h>

__global__ void outside(int *p, volatile int *done) {
  p[threadIdx.x + 100] = 1;
  if (threadIdx.x == 0)
    *done = 1;
}

__global__ void wait_for(volatile int *flag) {
  while (!*flag)
    ;
}

static volatile int *make_flag() {
  int *flag;
  cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped);
  *flag = 0;
  return flag;
}

// A buffer is freed in stream order, and its stream synchronised, while a kernel runs that only the host can end.
static void freed_in_a_stream() {
  volatile int *flag = make_flag();
  cudaStream_t waiting, other;
  cudaStreamCreateWithFlags(&waiting, cudaStreamNonBlocking), cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  void *p;
  cudaMallocAsync(&p, 8 << 20, other), cudaMemsetAsync(p, 0, 64, other), cudaFreeAsync(p, other);
  wait_for<<<1, 1, 0, waiting>>>(flag);
  printf("other stream: %d\n", cudaStreamSynchronize(other));
  *flag = 1;
  printf("all: %d\n", cudaDeviceSynchronize());
}

// The same with an error in the other stream: its report reads the device's counters.
static void found_in_a_stream() {
  volatile int *flag = make_flag(), *done = make_flag();
  cudaStream_t waiting, other;
  cudaStreamCreate(&waiting), cudaStreamCreate(&other);
  int *p;
  cudaMalloc(&p, 400);
  outside<<<1, 32, 0, other>>>(p, done);
  wait_for<<<1, 1, 0, waiting>>>(flag);
  printf("other stream: %d\n", cudaStreamSynchronize(other));
  *flag = 1;
  printf("all: %d\n", cudaDeviceSynchronize());
}

static void leave(int) {
  _exit(0);
}

// A signal handler that interrupts malloc ends the process, before the program has synchronised.
static void left_in_a_handler(int microseconds) {
  volatile int *done = make_flag();
  int *p;
  cudaMalloc(&p, 400);
  outside<<<1, 32>>>(p, done);
  while (!*done)
    usleep(1000);
  signal(SIGALRM, leave);
  struct itimerval after = {{0, 0}, {0, microseconds}};
  setitimer(ITIMER_REAL, &after, nullptr);
  void *blocks[64] = {};
  for (unsigned i = 0;; i++) {
    free(blocks[i % 64]);
    blocks[i % 64] = malloc(1000 + (i * 7919 % 3000000 > 2000000 ? 60000 : i * 31 % 5000));
  }
}

int main(int, char **argv) {
  if (strcmp(argv[1], "freed") == 0)
    freed_in_a_stream();
  else if (strcmp(argv[1], "found") == 0)
    found_in_a_stream();
  else
    left_in_a_handler(atoi(argv[1]));
}
