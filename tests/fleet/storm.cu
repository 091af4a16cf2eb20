// storm.cu: 10,000 findings as fast as they come (with FEW 1,000), each at a call of its own. Prints how many calls failed, and the milliseconds of processor
// time of its thread.
#include <cstdio>
#include <cstdlib>
#include <sys/resource.h>

#define TEN(x) x x x x x x x x x x
#ifdef FEW
#define CALLS(x) TEN(TEN(TEN(x)))
#else
#define CALLS(x) TEN(TEN(TEN(TEN(x))))
#endif

int main() {
  char *p;
  rusage used;
  int failed = 0;
  cudaMalloc(&p, 100);
  CALLS(failed += cudaFree(p + 4) != cudaSuccess;)
  getrusage(RUSAGE_THREAD, &used);
  std::printf("%d %ld\n", failed,
              (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000 +
                  (used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1000);
}
