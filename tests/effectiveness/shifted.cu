// shifted.cu: pointers that the host moved out of their buffers, as one-based arrays require.
#include "case.h"

template <typename T> static void upload(T *to, const T *from, size_t count) {
  CU(cudaMemcpy(to, from, count * sizeof(T), cudaMemcpyHostToDevice));
}

// A vector whose elements are v[1] ... v[n].
template <typename T> static T *vector(long n) {
  return buffer<T>(n) - 1;
}
template <typename T> static void free_vector(T *v) {
  release(v + 1);
}

__global__ void ramp(float *v, long first, long last, float slope) {
  for (long i = first + threadIdx.x; i <= last; i += blockDim.x)
    v[i] = slope * i; // BUG: live_before freed_before first_of_class large_zeroth large_last tiny_zeroth freed_vector
}

// The state of the buffer before the vector does not matter. It ends well before the address that the kernel gets: an
// address inside it could not be distinguished from a pointer to it.
static void ramp_of(long n, long first, long last) {
  float *v = vector<float>(n);
  ramp<<<1, 128>>>(v, first, last, 2);
  LAUNCHED();
  EXPECT(value(v + 1) == 2 && value(v + n) == 2 * n);
  free_vector(v);
}
TWINS(live_before, long first, 0, 1) {
  float *before = buffer<float>(100);
  ramp_of(100, first, 100);
  EXPECT(value(before + 99) == 0);
  release(before);
}
TWINS(freed_before, long first, 0, 1) {
  float *before = buffer<float>(200), *also = buffer<float>(200);
  release(before), release(also);
  ramp_of(200, first, 200);
}
TWINS(first_of_class, long first, 0, 1) {
  ramp_of(5000, first, 5000);
}
TWINS(large_zeroth, long first, 0, 1) {
  ramp_of(1 << 20, first, 1 << 20);
}
TWINS(large_last, long last, (1 << 20) + 1, 1 << 20) {
  ramp_of(1 << 20, 1, last);
}
TWINS(tiny_zeroth, long first, 0, 1) {
  float *before = buffer<float>(2);
  ramp_of(3, first, 3);
  release(before);
}
TWINS(freed_vector, bool early, true, false) {
  float *v = vector<float>(20000);
  if (early)
    free_vector(v);
  ramp<<<1, 128>>>(v, 1, 20000, 2);
  LAUNCHED();
  if (early)
    return;
  EXPECT(value(v + 1) == 2 && value(v + 20000) == 40000);
  free_vector(v);
}

// Several vectors of one size: each is between two live buffers.
__global__ void axpy(float a, const float *x, float *y, int first, int last) {
  int i = first + threadIdx.x + blockIdx.x * blockDim.x;
  if (i <= last)
    y[i] += a * x[i]; // BUG: axpy_zeroth axpy_last
}

static void add_vectors(int first, int last) {
  float host[120], *all[4];
  for (int i = 0; i < 120; i++)
    host[i] = i + 1;
  for (float *&v : all)
    v = vector<float>(120), upload(v + 1, host, 120);
  axpy<<<2, 64>>>(3, all[1], all[2], first, last);
  LAUNCHED();
  EXPECT(value(all[2] + 1) == 4 && value(all[2] + 120) == 480 && value(all[3] + 1) == 1);
  for (float *v : all)
    free_vector(v);
}
TWINS(axpy_zeroth, int first, 0, 1) {
  add_vectors(first, 120);
}
TWINS(axpy_last, int last, 121, 120) {
  add_vectors(1, last);
}

// A matrix as Fortran passes it: a(1,1) is the first element, and columns follow each other.
struct Matrix {
  double *a;
  int lda;
  __device__ double operator()(int i, int j) const {
    return a[i + j * lda]; // BUG: fortran_row_zero fortran_row_past_last fortran_long_columns
  }
};

__global__ void column_sums(Matrix m, int first, int last, double *out) {
  int j = threadIdx.x + 1;
  double sum = 0;
  for (int i = first; i <= last; i++)
    sum += m(i, j);
  out[j - 1] = sum;
}

__noinline__ __device__ double dot(const double *a, int lda, int row, int other, int columns) {
  double sum = 0;
  for (int j = 1; j <= columns; j++)
    sum += a[row + j * lda] * a[other + j * lda]; // BUG: fortran_in_callee
  return sum;
}

__global__ void gram(const double *a, int lda, int first, int columns, double *out) {
  out[threadIdx.x] = dot(a, lda, first + threadIdx.x, 1, columns);
}

// A matrix of ones between two live buffers.
struct Ones {
  double *before, *a, *after, *out;
  Ones(int rows, int columns)
      : before(buffer<double>(40)), a(buffer<double>(rows * columns)), after(buffer<double>(40)),
        out(buffer<double>(rows)) {
    double one = 1;
    for (int i = 0; i < rows * columns; i++)
      upload(a + i, &one, 1);
  }
  ~Ones() { release(before), release(a), release(after), release(out); }
};

TWINS(fortran_row_zero, int first, 0, 1) {
  Ones m(10, 6);
  column_sums<<<1, 6>>>(Matrix{m.a - 1 - 10, 10}, first, 10, m.out);
  LAUNCHED();
  EXPECT(value(m.out) == 10 && value(m.out + 5) == 10);
}
TWINS(fortran_row_past_last, int last, 11, 10) {
  Ones m(10, 6);
  column_sums<<<1, 6>>>(Matrix{m.a - 1 - 10, 10}, 1, last, m.out);
  LAUNCHED();
  EXPECT(value(m.out) == 10 && value(m.out + 5) == 10);
}
// Columns so long that the pointer is far below the matrix.
TWINS(fortran_long_columns, int first, 0, 1) {
  double host[600], *before = buffer<double>(520), *a = buffer<double>(600), *out = buffer<double>(6);
  for (double &one : host)
    one = 1;
  upload(a, host, 600);
  column_sums<<<1, 6>>>(Matrix{a - 1 - 100, 100}, first, 100, out);
  LAUNCHED();
  EXPECT(value(out) == 100 && value(out + 5) == 100);
  release(before), release(a), release(out);
}
TWINS(fortran_in_callee, int first, 0, 1) {
  Ones m(12, 4);
  gram<<<1, 12>>>(m.a - 1 - 12, 12, first, 4, m.out);
  LAUNCHED();
  EXPECT(value(m.out) == 4 && value(m.out + 11) == 4);
}

// A structure in device memory contains pointers to one-based arrays.
struct Problem {
  const int *keys;
  int *bins;
  int count;
};

__global__ void count_keys(const Problem *problem) {
  int i = threadIdx.x + 1;
  if (i <= problem->count)
    atomicAdd(&problem->bins[problem->keys[i]], 1); // BUG: bin_zero key_past_last
}

static void count_with(int lowest, int count) {
  int host[61], *keys = vector<int>(60), *bins = vector<int>(60);
  Problem *problem = buffer<Problem>(1), described = {keys, bins, count};
  for (int i = 0; i < 60; i++)
    host[i] = i % 20 + lowest;
  upload(keys + 1, host, 60);
  upload(problem, &described, 1);
  count_keys<<<1, 64>>>(problem);
  LAUNCHED();
  EXPECT(value(bins + 1) == 3 && value(bins + 20) == 3 && value(bins + 21) == 0);
  free_vector(keys), free_vector(bins), release(problem);
}
TWINS(bin_zero, int lowest, 0, 1) {
  count_with(lowest, 60);
}
TWINS(key_past_last, int count, 61, 60) {
  count_with(1, count);
}

// Numerical Recipes' matrix: a one-based vector of one-based rows.
struct Rows {
  float *data, **table;
  float **m;
  Rows(int rows, int columns) : data(buffer<float>(rows * columns)), table(buffer<float *>(rows)), m(table - 1) {
    for (int i = 0; i < rows; i++) {
      float *row = data + i * columns - 1;
      upload(table + i, &row, 1);
    }
  }
  ~Rows() { release(data), release(table); }
};

__global__ void fill_rows(float **m, int first_row, int rows, int first, int columns) {
  for (int i = first_row + threadIdx.x; i <= rows; i += blockDim.x) {
    float *row = m[i]; // BUG: row_zero_of_matrix
    for (int j = first; j <= columns; j++)
      row[j] = 10 * i + j; // BUG: column_zero_of_matrix column_past_matrix
  }
}

static void fill_matrix(int first_row, int first, int columns) {
  Rows rows(5, 9);
  fill_rows<<<1, 1>>>(rows.m, first_row, 5, first, columns);
  LAUNCHED();
  EXPECT(value(rows.data) == 11 && value(rows.data + 44) == 59);
}
TWINS(row_zero_of_matrix, int first_row, 0, 1) {
  fill_matrix(first_row, 1, 9);
}
TWINS(column_zero_of_matrix, int first, 0, 1) {
  fill_matrix(1, first, 9);
}
TWINS(column_past_matrix, int columns, 10, 9) {
  fill_matrix(1, 1, columns);
}

// One kernel stores the vector's pointer for the next one.
struct Kept {
  int *at;
  int n;
};
__device__ Kept kept;

__global__ void keep(Kept vector) {
  kept = vector;
}

__global__ void prefix_sums(int first) {
  for (int i = first; i <= kept.n; i++)
    kept.at[i] += i > first ? kept.at[i - 1] : 1; // BUG: kept_by_kernel
}

TWINS(kept_by_kernel, int first, 0, 1) {
  int *before = buffer<int>(30), *v = vector<int>(30);
  keep<<<1, 1>>>(Kept{v, 30});
  prefix_sums<<<1, 1>>>(first);
  LAUNCHED();
  EXPECT(value(v + 30) == 1);
  free_vector(v), release(before);
}

// The host stores the vector's pointer in constant memory.
__constant__ Kept parameters;

__global__ void count_down(int first) {
  int i = first + threadIdx.x;
  if (i <= parameters.n)
    parameters.at[i] = parameters.n - i; // BUG: kept_in_constant
}

TWINS(kept_in_constant, int first, 0, 1) {
  int *v = vector<int>(90), *after = buffer<int>(90);
  Kept host = {v, 90};
  CU(cudaMemcpyToSymbol(parameters, &host, sizeof host));
  count_down<<<1, 96>>>(first);
  LAUNCHED();
  EXPECT(value(v + 1) == 89 && value(v + 90) == 0 && value(after) == 0);
  free_vector(v), release(after);
}

// Pointers past the end, used with negative indices.
struct Reversed {
  const int *end;
  int distance; // from the last element to end
};

__global__ void reverse(Reversed from, int n, int *out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    out[i] = from.end[-from.distance - i]; // BUG: end_from_above end_from_far_above
}

static void reverse_with(int beyond, int distance) {
  int host[2047], *in = buffer<int>(2047), *out = buffer<int>(3000);
  for (int i = 0; i < 2047; i++)
    host[i] = i;
  upload(in, host, 2047);
  reverse<<<1, 128>>>(Reversed{in + 2047 + beyond, distance}, 2047, out);
  LAUNCHED();
  EXPECT(value(out) == 2046 && value(out + 2046) == 0);
  release(in), release(out);
}
TWINS(end_from_above, int distance, 2, 3) {
  reverse_with(2, distance);
}
TWINS(end_from_far_above, int distance, 300, 301) {
  reverse_with(300, distance);
}

// One-based arrays of structures and of float4, and a copy from one.
struct Particle {
  double position[2];
  int charge;
};

__global__ void charge_all(Particle *particles, int first, int last, int charge) {
  int i = first + threadIdx.x;
  if (i <= last)
    particles[i].charge = charge; // BUG: zeroth_particle
}

TWINS(zeroth_particle, int first, 0, 1) {
  Particle *before = buffer<Particle>(25), *particles = vector<Particle>(25);
  charge_all<<<1, 32>>>(particles, first, 25, -1);
  LAUNCHED();
  EXPECT(value(particles + 1).charge == -1 && value(particles + 25).charge == -1);
  free_vector(particles), release(before);
}

__global__ void negate(float4 *quads, int first, int last) {
  int i = first + threadIdx.x;
  if (i > last)
    return;
  float4 v = quads[i]; // BUG: zeroth_quad
  quads[i] = make_float4(1 - v.x, 1 - v.y, 1 - v.z, 1 - v.w);
}

TWINS(zeroth_quad, int first, 0, 1) {
  float4 *before = buffer<float4>(40), *quads = vector<float4>(40);
  negate<<<1, 64>>>(quads, first, 40);
  LAUNCHED();
  EXPECT(value(quads + 1).x == 1 && value(quads + 40).w == 1);
  free_vector(quads), release(before);
}

__global__ void copy_range(int *to, const int *from, int first, int count) {
  memcpy(to + first, from + first, count * sizeof(int)); // BUG: copied_from_zero
}

TWINS(copied_from_zero, int first, 0, 1) {
  int host[50], *from = vector<int>(50), *to = vector<int>(50);
  for (int i = 0; i < 50; i++)
    host[i] = i;
  upload(from + 1, host, 50);
  copy_range<<<1, 1>>>(to, from, first, 50);
  LAUNCHED();
  EXPECT(value(to + 50) == 49);
  free_vector(from), free_vector(to);
}

// Managed memory, one-based on host and device.
__global__ void square(int *v, int first, int last) {
  int i = first + threadIdx.x;
  if (i <= last)
    v[i] *= v[i]; // BUG: zeroth_managed
}

TWINS(zeroth_managed, int first, 0, 1) {
  int *memory;
  CU(cudaMallocManaged(&memory, 70 * sizeof(int)));
  int *v = memory - 1;
  for (int i = 1; i <= 70; i++)
    v[i] = i;
  square<<<1, 96>>>(v, first, 70);
  LAUNCHED();
  EXPECT(v[1] == 1 && v[70] == 4900);
  CU(cudaFree(memory));
}
