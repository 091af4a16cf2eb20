// A function with more instructions at -O0 than the inliner accepts for one call.
#define TWICE(x) x x
__device__ inline void huge(int *p, int i) {
  int sum = 0;
  if (i < 0) {
    TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(sum += i * 3;))))))))))
  }
  p[i] = sum;
}
