// kernels.cu: the device code of `cusafe selftest`. It is compiled when CuSafe is built: bare and checked, for GPUs as
// PTX and for the CPU device as images. Every kernel uses one thread, except for those of the bench.

__constant__ int selftest_constant;
__device__ int selftest_variable[8];

extern "C" __global__ void copy_words(unsigned long long *to, const unsigned long long *from, int count) {
  for (int i = 0; i < count; i++)
    to[i] = from[i];
}

// Ends when the host writes 1, or after this many reads.
extern "C" __global__ void await(const volatile int *flag, volatile int *answers, long long reads) {
  answers[0] = 1;
  __threadfence_system();
  while (*flag != 1 && reads > 0)
    reads--;
  answers[1] = *flag;
}

extern "C" __global__ void answer_and_trap(volatile int *answers, int value) {
  answers[0] = value;
  __threadfence_system();
  asm volatile("trap;");
}

extern "C" __global__ void read_constant(int *to) {
  *to = selftest_constant;
}

struct parameters {
  char before;
  long long value;
  int after[3];
};
extern "C" __global__ void take_parameters(long long *to, parameters given, short last) {
  to[0] = given.before;
  to[1] = given.value;
  to[2] = given.after[2];
  to[3] = last;
}

// The bugs: each is in bounds for the indices of its twin.
extern "C" __global__ void store_at(int *to, long long index) {
  to[index] = 1;
}
extern "C" __global__ void load_at(int *to, const int *from, long long index) {
  *to = from[index];
}
extern "C" __global__ void store_shared_at(int *to, long long index) {
  __shared__ int block[8];
  block[index] = 1;
  *to = block[0];
}
extern "C" __global__ void store_local_at(int *to, long long index) {
  volatile int own[8];
  own[index] = 1;
  *to = own[0];
}
extern "C" __global__ void store_variable_at(int *to, long long index) {
  selftest_variable[index] = 1;
  *to = selftest_variable[0];
}
extern "C" __global__ void store_at_byte(char *to, long long offset) {
  *(int *)(to + offset) = 1;
}

// The bench.
extern "C" __global__ void add_scaled(float *to, const float *from, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] += factor * from[i];
}
extern "C" __global__ void smooth(float *to, const float *from, float factor, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > 0 && i < count - 1)
    to[i] = factor * (from[i - 1] + from[i] + from[i + 1]);
}
extern "C" __global__ void gather(float *to, const float *from, const int *index, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    to[i] = from[index[i]];
}
