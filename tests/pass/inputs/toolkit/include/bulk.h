// A toolkit's header: functions that are too large to be taken for a wrapper.
#define STEP(p, i) (p)[(i) * 3 + 1] += (p)[(i)]
#define STEPS(p, i)                                                                                                    \
  STEP(p, i), STEP(p, i + 1), STEP(p, i + 2), STEP(p, i + 3), STEP(p, i + 4), STEP(p, i + 5), STEP(p, i + 6)

__device__ inline void bulk(int *p, int i) {
  STEPS(p, i);
}
__device__ inline void through(int *p, int i) {
  STEPS(p, i);
  bulk(p, i);
}
// Touches nothing but its own variables: no error can be in it.
__device__ inline int count(int i) {
  int own[4] = {i, i + 1, i + 2, i + 3};
  own[0] = own[1] * own[2] + own[3], own[1] = own[2] * own[3] + own[0], own[2] = own[3] * own[0] + own[1];
  own[0] = own[1] * own[2] + own[3], own[1] = own[2] * own[3] + own[0], own[2] = own[3] * own[0] + own[1];
  return own[0] + own[1] + own[2];
}
// A cycle of calls has no end that could be inlined.
__device__ inline void even(int *p, int i);
__device__ inline void odd(int *p, int i) {
  STEPS(p, i);
  if (i)
    even(p, i - 1);
}
__device__ inline void even(int *p, int i) {
  STEPS(p, i);
  if (i)
    odd(p, i - 1);
}
// All that a kernel of a header calls is inlined.
__device__ inline void only_here(int *p, int i) {
  STEPS(p, i);
}
__global__ void of_the_toolkit(int *p, int i) {
  only_here(p, i);
}
// Twice as large with each level: the budget ends somewhere.
template <int n> __device__ inline void doubled(int *p, int i) {
  STEPS(p, i);
  doubled<n - 1>(p, i);
  doubled<n - 1>(p, i + 1);
}
template <> __device__ inline void doubled<0>(int *p, int i) {
  STEPS(p, i);
}
