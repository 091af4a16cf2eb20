// language.cu: what CUDA C++ promises in kernels: calls, classes, memory, templates, printf, assert, inline PTX.
#include "conformance.h"
#include <cassert>
#include <new>

__device__ static int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
CASE(recursion) {
  auto got = each<int>(16, [] __device__(int t) { return fibonacci(t); });
  for (int t = 0, a = 0, b = 1; t < 16; t++, b += a, a = b - a)
    EXPECT(got[t] == a);
}

__device__ bool odd(unsigned n);
__device__ bool even(unsigned n) {
  return n == 0 || odd(n - 1);
}
__device__ bool odd(unsigned n) {
  return n != 0 && even(n - 1);
}
CASE(mutual_recursion) {
  auto got = each<int>(20, [] __device__(int t) { return even((unsigned)t) ? 2 : odd((unsigned)t) ? 1 : 0; });
  for (int t = 0; t < 20; t++)
    EXPECT(got[t] == (t % 2 ? 1 : 2));
}

struct Shape {
  __device__ virtual ~Shape() {}
  __device__ virtual int area() const = 0;
  __device__ virtual int kind() const { return 0; }
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area() const override { return side * side; }
};
struct Oblong : Square {
  int other;
  __device__ Oblong(int a, int b) : Square(a), other(b) {}
  __device__ int area() const override { return side * other; }
  __device__ int kind() const override { return 7; }
};
CASE(virtual_functions) {
  auto got = each<int>(64, [] __device__(int t) {
    Square square(t);
    Oblong oblong(t, 3);
    const Shape *shape = t % 2 ? (const Shape *)&square : &oblong;
    return shape->area() * 10 + shape->kind();
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == (t % 2 ? t * t * 10 : t * 30 + 7));
}

struct Added {
  int n;
  __device__ Added(int n) : n(n) {}
  __device__ virtual int with(int x) { return x + n; }
};
struct Multiplied : Added {
  __device__ Multiplied(int n) : Added(n) {}
  __device__ int with(int x) override { return x * n; }
};
__global__ static void use_either(int *out, char *memory) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  Added *object = t & 1 ? (Added *)new (memory + 32 * t) Multiplied(t) : new (memory + 32 * t) Added(t);
  out[t] = object->with(t);
}
// Threads on either side of a branch construct objects of different classes.
CASE(either_class) {
  Array<char> memory(64 * 32);
  Array<int> out(64);
  use_either<<<1, 64>>>(out.device, memory.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < 64; t++)
    EXPECT(out.host[t] == (t & 1 ? t * t : 2 * t));
}

// An array with its length stored before it, because delete[] calls the elements' destructors.
struct Counted {
  int *ended, n = 5;
  __device__ Counted() {}
  __device__ ~Counted() { ++*ended; }
};
CASE(new_array_of_objects) {
  auto got = each<int>(64, [] __device__(int t) {
    int ended = 0, sum = 0;
    Counted *array = new Counted[t + 1];
    for (int i = 0; i <= t; i++) {
      sum += array[i].n;
      array[i].ended = &ended;
    }
    delete[] array;
    return sum * 1000 + ended;
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == (t + 1) * 5001);
}

CASE(new_and_delete) {
  auto got = each<int>(64, [] __device__(int t) {
    Shape *shape = t % 2 ? (Shape *)new Square(t) : new Oblong(t, 2);
    int *array = new int[t + 1], sum = 0;
    for (int i = 0; i <= t; i++)
      array[i] = i;
    for (int i = 0; i <= t; i++)
      sum += array[i];
    sum += shape->area();
    delete[] array;
    delete shape;
    return sum;
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == t * (t + 1) / 2 + (t % 2 ? t * t : 2 * t));
}

CASE(malloc_and_free_in_kernels) {
  auto got = each<int>(32, [] __device__(int t) {
    unsigned char *p = (unsigned char *)malloc(100);
    if (!p)
      return -1;
    memset(p, t, 100);
    unsigned char copy[100];
    memcpy(copy, p, 100);
    free(p);
    free(nullptr);
    return copy[0] + copy[99];
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == 2 * t);
}

CASE(placement_new) {
  auto got = each<int>(32, [] __device__(int t) {
    alignas(Oblong) unsigned char storage[sizeof(Oblong)];
    Shape *shape = new (storage) Oblong(t, t + 1);
    int area = shape->area();
    shape->~Shape();
    return area;
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == t * (t + 1));
}

typedef int (*Operation)(int, int);
__device__ int added(int a, int b) {
  return a + b;
}
__device__ int multiplied(int a, int b) {
  return a * b;
}
__device__ Operation table[] = {added, multiplied, nullptr};
CASE(function_pointers) {
  auto got = each<int>(32, [] __device__(int t) {
    Operation third = [](int a, int b) { return a - b; };
    Operation f = t % 3 == 2 ? third : table[t % 3];
    return f(t, 5);
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == (t % 3 == 0 ? t + 5 : t % 3 == 1 ? t * 5 : t - 5));
}

CASE(pointers_to_members) {
  struct Pair {
    int a, b;
    __device__ int sum() const { return a + b; }
  };
  auto got = each<int>(8, [] __device__(int t) {
    Pair p = {t, 10 * t};
    int Pair::*member = t % 2 ? &Pair::a : &Pair::b;
    int (Pair::*method)() const = &Pair::sum;
    return p.*member + (p.*method)();
  });
  for (int t = 0; t < 8; t++)
    EXPECT(got[t] == (t % 2 ? t : 10 * t) + 11 * t);
}

CASE(unions_and_bitfields) {
  struct Fields {
    unsigned low : 5, middle : 11;
    int high : 16;
  };
  union Word {
    Fields fields;
    unsigned whole;
    unsigned char bytes[4];
  };
  auto got = each<unsigned>(64, [] __device__(int t) {
    Word w;
    w.whole = 0;
    w.fields.low = (unsigned)t, w.fields.middle = (unsigned)t * 31, w.fields.high = -t;
    return w.fields.high == -t && w.bytes[0] == (w.whole & 255) ? w.whole : 0;
  });
  for (unsigned t = 0; t < 64; t++)
    EXPECT(got[t] == ((t & 31) | (t * 31 & 2047) << 5 | (unsigned)-(int)t << 16));
}

template <typename... T> __device__ int total(T... values) {
  return (0 + ... + (int)values);
}
template <typename T, typename... More> __device__ int last(T first, More... more) {
  if constexpr (sizeof...(more) > 0)
    return last(more...);
  else
    return (int)first;
}
CASE(variadic_templates) {
  auto got =
      each<int>(16, [] __device__(int t) { return total(t, 2.5, 'a', (short)t) * 100 + last(1, 2.0f, (char)t); });
  for (int t = 0; t < 16; t++)
    EXPECT(got[t] == (2 * t + 2 + 'a') * 100 + t);
}

template <int N> struct Factorial {
  static constexpr int value = N * Factorial<N - 1>::value;
};
template <> struct Factorial<0> {
  static constexpr int value = 1;
};
__host__ __device__ constexpr int squares(int n) {
  int sum = 0;
  for (int i = 1; i <= n; i++)
    sum += i * i;
  return sum;
}
CASE(templates_and_constexpr) {
  auto got = each<int>(4, [] __device__(int t) {
    constexpr int sum = squares(10);
    constexpr int primes[] = {2, 3, 5, 7};
    return Factorial<6>::value + sum * primes[t] + squares(t);
  });
  static const int primes[] = {2, 3, 5, 7};
  for (int t = 0; t < 4; t++)
    EXPECT(got[t] == 720 + 385 * primes[t] + squares(t));
}

struct Captured {
  int a[4];
};
CASE(lambdas) {
  int factor = 3;
  Captured captured = {{1, 2, 3, 4}};
  auto got = each<int>(16, [=] __device__(int t) {
    int sum = 0;
    auto add = [&sum, factor](auto v) { sum += (int)v * factor; };
    for (int v : captured.a)
      add(v);
    add(0.5 + t);
    return [=, s = sum]() mutable { return ++s; }();
  });
  for (int t = 0; t < 16; t++)
    EXPECT(got[t] == 30 + 3 * t + 1);
}

struct Vector {
  float x, y;
  __host__ __device__ Vector operator+(Vector o) const { return {x + o.x, y + o.y}; }
  __host__ __device__ Vector &operator*=(float f) { return x *= f, y *= f, *this; }
  __host__ __device__ float operator[](int i) const { return i ? y : x; }
  __host__ __device__ explicit operator bool() const { return x != 0 || y != 0; }
  __host__ __device__ friend bool operator==(Vector a, Vector b) { return a.x == b.x && a.y == b.y; }
};
CASE(operators_and_bindings) {
  auto f = [] __host__ __device__(int t) {
    Vector v = Vector{(float)t, 1} + Vector{2, 3};
    v *= 0.5f;
    auto [x, y] = v;
    int array[2] = {t, t * 2};
    auto &[first, second] = array;
    second += first;
    return v == Vector{x, y} && v ? v[0] + 10 * v[1] + (float)array[1] : -1;
  };
  auto got = each<float>(16, [=] __device__(int t) { return f(t); });
  for (int t = 0; t < 16; t++)
    EXPECT(got[t] == f(t));
}

__host__ __device__ static int jumped(int t) {
  int steps = 0;
again:
  switch (t % 7) {
  case 0:
    return steps * 100 + t;
  case 3:
    t += 5;
    goto again;
  case 5:
    steps++; // falls through
  default:
    steps++;
    t++;
    if (steps < 50)
      goto again;
  }
  return -1;
}
CASE(switch_and_goto) {
  auto got = each<int>(128, [] __device__(int t) { return jumped(t); });
  for (int t = 0; t < 128; t++)
    EXPECT(got[t] == jumped(t));
}

__device__ int counter = 40;
__device__ static double table_of_doubles[4] = {1.5, 2.5, 3.5};
__constant__ int constants[8] = {1, 2, 4, 8, 16};
__device__ int *pointer_to_counter = &counter;
CASE(device_variables) {
  auto got = each<int>(32, [] __device__(int) { return atomicAdd(pointer_to_counter, 1); });
  int now = 0, sum = 0;
  CU(cudaMemcpyFromSymbol(&now, counter, sizeof now));
  for (int v : got)
    sum += v - 40;
  EXPECT(now == 72 && sum == 31 * 16);
  now = 40;
  CU(cudaMemcpyToSymbol(counter, &now, sizeof now));
  auto tables = each<double>(4, [] __device__(int t) { return table_of_doubles[t]; });
  EXPECT(tables[0] == 1.5 && tables[1] == 2.5 && tables[2] == 3.5 && tables[3] == 0);
}

CASE(constant_memory) {
  int more[3] = {32, 64, 128};
  CU(cudaMemcpyToSymbol(constants, more, sizeof more, 5 * sizeof(int)));
  auto got = each<int>(16, [] __device__(int t) { return constants[t % 8] + constants[0]; });
  for (int t = 0; t < 16; t++)
    EXPECT(got[t] == (1 << t % 8) + 1);
}

CASE(static_in_a_function) {
  auto got = each<int>(64, [] __device__(int) {
    static __device__ int calls = 3;
    return atomicAdd(&calls, 1);
  });
  std::vector<int> seen(70);
  for (int v : got)
    EXPECT(v >= 3 && v < 67 && !seen[v]++);
}

extern __shared__ int dynamic_shared[];
template <typename T> __global__ void reversed_in_shared(T *data) {
  __shared__ T fixed[64];
  T *second = (T *)dynamic_shared;
  unsigned t = threadIdx.x;
  fixed[t] = data[t], second[t] = data[t] * 2;
  __syncthreads();
  data[t] = fixed[63 - t] + second[t];
}
CASE(shared_memory) {
  Array<double> data(64);
  for (int i = 0; i < 64; i++)
    data[i] = i;
  data.upload();
  reversed_in_shared<<<1, 64, 64 * sizeof(double)>>>(data.device);
  LAUNCHED();
  data.download();
  for (int i = 0; i < 64; i++)
    EXPECT(data[i] == 63 - i + 2 * i);
}

struct Big {
  int a[100];
  double d;
  char c[3];
};
__global__ void many_arguments(Big big, short s, char c, double *out, Big other, bool b) {
  *out = big.a[99] + big.d + big.c[2] + s + c + other.a[0] + (b ? 0.5 : 0);
}
CASE(many_parameters) {
  Big one = {}, two = {};
  one.a[99] = 1000, one.d = 0.25, one.c[2] = 7, two.a[0] = -300;
  double *out = buffer<double>(1);
  many_arguments<<<1, 1>>>(one, -20, 'c', out, two, true);
  LAUNCHED();
  EXPECT(value(out) == 1000 + 0.25 + 7 - 20 + 'c' - 300 + 0.5);
  release(out);
}

CASE(grid_and_block_indices) {
  Array<unsigned> out(2 * 3 * 4 * 8);
  unsigned *to = out.device;
  on_device(dim3(2, 3, 4), dim3(2, 2, 2), [=] __device__() {
    unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    to[block * 8 + thread] = block * 1000 + thread + 100000 * gridDim.z + 1000000 * blockDim.y;
  });
  out.download();
  for (unsigned i = 0; i < out.count; i++)
    EXPECT(out[i] == i / 8 * 1000 + i % 8 + 400000 + 2000000);
}

CASE(print_formats) {
  Capture capture;
  on_device(1, 1, [] __device__() {
    printf("%d|%5d|%-5d|%05d|%+d|%u|%x|%X|%#o\n", -7, 42, 42, 42, 42, 4000000000u, 255, 255, 8);
    printf("%lld|%llu|%zu|%hd|%c|%s|%.3s|%%\n", -1099511627776ll, ~0ull, (size_t)9, (short)-3, 'x', "text",
           "shortened");
    printf("%f|%.2f|%8.3f|%e|%g|%G|%.0f\n", 1.5, 2.345, -3.14159, 12345.678, 0.0001, 1e20, 2.5);
    printf("%*d|%.*f\n", 6, 12, 3, 2.0);
  });
  char expected[1024];
  int n = snprintf(expected, sizeof expected, "%d|%5d|%-5d|%05d|%+d|%u|%x|%X|%#o\n", -7, 42, 42, 42, 42, 4000000000u,
                   255, 255, 8);
  n += snprintf(expected + n, sizeof expected - n, "%lld|%llu|%zu|%hd|%c|%s|%.3s|%%\n", -1099511627776ll, ~0ull,
                (size_t)9, (short)-3, 'x', "text", "shortened");
  n += snprintf(expected + n, sizeof expected - n, "%f|%.2f|%8.3f|%e|%g|%G|%.0f\n", 1.5, 2.345, -3.14159, 12345.678,
                0.0001, 1e20, 2.5);
  snprintf(expected + n, sizeof expected - n, "%*d|%.*f\n", 6, 12, 3, 2.0);
  EXPECT(capture.text() == expected);
}

CASE(print_from_every_thread) {
  Capture capture;
  auto returned =
      each<int>(64, [] __device__(int t) { return printf("thread %d of block %d\n", t % 32, (int)blockIdx.x); });
  std::string text = capture.text();
  size_t lines = 0;
  for (char c : text)
    lines += c == '\n';
  EXPECT(lines == 64 && text.find("thread 31 of block 0\n") != std::string::npos);
  for (int v : returned)
    EXPECT(v == 2); // CUDA's printf returns the number of arguments
}

HIDDEN(child_assert) {
  on_device(1, 64, [] __device__() { assert(threadIdx.x < 40 && "few threads"); });
}
CASE(failing_assert) {
  Child result = child("child_assert");
  EXPECT(result.status != 0 && result.contains("Assertion") && result.contains("few threads"));
  EXPECT(result.contains("language.cu") && result.contains("thread: [40,0,0]") && result.contains("error 710"));
}
CASE(passing_assert) {
  on_device(1, 64, [] __device__() { assert(threadIdx.x < 64); });
}
HIDDEN(child_trap) {
  on_device(1, 1, [] __device__() { __trap(); });
}
CASE(trap) {
  Child result = child("child_trap");
  EXPECT(result.status == 1 && result.contains("error 719"));
}

CASE(inline_ptx_registers) {
  auto got = each<unsigned>(
      64,
      [] __device__(int) {
        unsigned x, n, c, g;
        asm("mov.u32 %0, %%tid.x;" : "=r"(x));
        asm("mov.u32 %0, %%ntid.x;" : "=r"(n));
        asm("mov.u32 %0, %%ctaid.x;" : "=r"(c));
        asm("mov.u32 %0, %%nctaid.x;" : "=r"(g));
        return x + 1000 * n + 1000000 * c + 10000000 * g;
      },
      2);
  for (unsigned t = 0; t < 128; t++)
    EXPECT(got[t] == t % 64 + 64000 + 1000000 * (t / 64) + 20000000);
}

CASE(inline_ptx_arithmetic) {
  auto got = each<unsigned>(64, [] __device__(int t) {
    unsigned a = (unsigned)t * 0x01234567u, b = ~a, r, s;
    asm("mad.lo.u32 %0, %1, %2, 5;" : "=r"(r) : "r"(a), "r"(b));
    asm("{\n\t.reg .u32 t;\n\txor.b32 t, %1, %2;\n\tshf.l.wrap.b32 %0, %1, t, 7;\n}" : "=r"(s) : "r"(a), "r"(b));
    asm volatile("add.u32 %0, %0, %1;" : "+r"(r) : "r"(s));
    return r;
  });
  for (unsigned t = 0; t < 64; t++) {
    unsigned a = t * 0x01234567u, b = ~a;
    EXPECT(got[t] == a * b + 5 + ((a ^ b) << 7 | a >> 25));
  }
}

CASE(inline_ptx_memory) {
  Array<float> data(64);
  for (int i = 0; i < 64; i++)
    data[i] = (float)i;
  data.upload();
  float *p = data.device;
  on_device(1, 64, [=] __device__() {
    __shared__ float s[64];
    unsigned t = threadIdx.x, at = (unsigned)__cvta_generic_to_shared(&s[t]);
    float v, w;
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(p + t) : "memory");
    asm volatile("st.shared.f32 [%0], %1;" ::"r"(at), "f"(v * 2) : "memory");
    __syncthreads();
    asm volatile("ld.shared.f32 %0, [%1+4];" : "=f"(w) : "r"(at & ~7u) : "memory");
    asm volatile("st.global.f32 [%0], %1;" ::"l"(p + t), "f"(v + w) : "memory");
  });
  data.download();
  for (int i = 0; i < 64; i++)
    EXPECT(data[i] == (float)(i + 2 * (i | 1)));
}

CASE(vector_types) {
  Array<int4> out(32);
  int4 *to = out.device;
  on_device(1, 32, [=] __device__() {
    int t = (int)threadIdx.x;
    float3 f = make_float3(1.f, 2.f, (float)t);
    uchar4 c = make_uchar4(250, 5, (unsigned char)t, 1);
    double2 d = make_double2(t * 0.5, 4);
    to[t] = make_int4((int)(f.x + f.y + f.z), c.x + c.z, (int)(d.x * d.y), (int)sizeof(float3) + (int)alignof(int4));
  });
  out.download();
  for (int t = 0; t < 32; t++)
    EXPECT(out[t].x == 3 + t && out[t].y == 250 + t && out[t].z == 2 * t && out[t].w == 28);
}

CASE(clocks_are_monotonic) {
  auto got = each<int>(1, [] __device__(int) {
    long long a = clock64();
    unsigned long long g, h;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(g));
    __nanosleep(1000);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(h));
    return clock64() > a && h >= g ? 1 : 0;
  });
  EXPECT(got[0] == 1);
}

CASE(local_arrays) {
  auto f = [] __host__ __device__(int t) {
    int a[40], n = 0;
    for (int i = 0; i < 40; i++)
      a[i] = (i * 7 + t) % 40;
    for (int i = 0; i < 100; i++)
      n = (a[n] + (a[i % 40] & 1)) % 40;
    return n;
  };
  auto got = each<int>(32, [=] __device__(int t) { return f(t); });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == f(t));
}

CASE(grid_stride_loop) {
  const int n = 1000;
  Array<int> data(n);
  int *p = data.device;
  on_device(3, 96, [=] __device__() {
    for (int i = (int)(blockIdx.x * blockDim.x + threadIdx.x); i < n; i += (int)(gridDim.x * blockDim.x))
      p[i] = i * i;
  });
  data.download();
  for (int i = 0; i < n; i++)
    EXPECT(data[i] == i * i);
}

// Values that are uniform on each side of a divergent branch; each side contains further branches.
#define SIDES(odd, even)                                                                                               \
  if (t & 1) {                                                                                                         \
    if (x[t + 1] > 50)                                                                                                 \
      x[t + 101] = 1;                                                                                                  \
    if (a > 100)                                                                                                       \
      x[t + 301] = 1;                                                                                                  \
    odd;                                                                                                               \
  } else {                                                                                                             \
    if (x[t + 2] > 50)                                                                                                 \
      x[t + 102] = 2;                                                                                                  \
    even;                                                                                                              \
  }
__global__ static void sides_merge(int *out, int *x, int a, int b) {
  int t = (int)threadIdx.x, r;
  SIDES(r = a * 7, r = b + 3)
  out[t] = r;
}
__global__ static void sides_store(int *out, int *x, int a, int b) {
  int t = (int)threadIdx.x;
  SIDES(out[t] = a * 7, out[t] = b + 3)
}
__global__ static void sides_select_pointer(int *out, int *x, int a, int b) {
  int t = (int)threadIdx.x, seven[2] = {a, 7}, *p;
  __shared__ int five[2];
  five[1] = 5;
  __syncthreads();
  SIDES(p = seven, p = five)
  out[t] = p[1];
}
CASE(values_of_two_branches) {
  for (auto kernel : {sides_merge, sides_store, sides_select_pointer}) {
    Array<int> out(64), x(400);
    x.upload();
    kernel<<<1, 64>>>(out.device, x.device, 1, 2);
    LAUNCHED();
    out.download();
    for (int t = 0; t < 64; t++)
      EXPECT(out.host[t] == (t & 1 ? 7 : 5));
  }
}

// Tables of addresses of shared arrays: the program's own, and one that the optimiser creates from a switch.
__global__ static void tables_of_shared(int *out, int which) {
  __shared__ int a[16], b[16], c[16], d[16];
  int t = (int)threadIdx.x;
  a[t] = t, b[t] = 100 + t, c[t] = 200 + t, d[t] = 300 + t;
  __syncthreads();
  int *table[4] = {a, b, c, d}, *chosen = nullptr;
  struct {
    int *first, *last;
  } pair{a, d};
  switch (which) {
  case 0:
    chosen = a;
    break;
  case 1:
    chosen = b;
    break;
  case 2:
    chosen = c;
    break;
  default:
    chosen = d;
  }
  out[blockIdx.x * 16 + t] = chosen[15 - t] + 1000 * table[(which + 1) % 4][t] + (which ? pair.last : pair.first)[0];
}
CASE(tables_of_shared_arrays) {
  for (int which = 0; which < 4; which++) {
    Array<int> out(64 * 16);
    tables_of_shared<<<64, 16>>>(out.device, which);
    LAUNCHED();
    out.download();
    for (int i = 0; i < 64 * 16; i++) {
      int t = i % 16;
      EXPECT(out.host[i] == 100 * which + 15 - t + 1000 * (100 * ((which + 1) % 4) + t) + (which ? 300 : 0));
    }
  }
}

// A selection between dynamic and static shared memory, and two halves of the former that are swapped.
__global__ static void either_shared(int *out, int dynamic, int steps) {
  extern __shared__ int given[];
  __shared__ int fixed[32];
  int t = (int)threadIdx.x, *from = dynamic ? given : fixed, *to = from + 16;
  from[t] = t;
  __syncthreads();
  for (int i = 0; i < steps; i++) {
    to[t] = from[(t + 1) % 16];
    __syncthreads();
    int *other = from;
    from = to;
    to = other;
  }
  out[blockIdx.x * 16 + t] = from[t];
}
CASE(dynamic_or_static_shared) {
  for (int dynamic = 0; dynamic < 2; dynamic++) {
    Array<int> out(64 * 16);
    either_shared<<<64, 16, dynamic ? 32 * sizeof(int) : 0>>>(out.device, dynamic, 5);
    LAUNCHED();
    out.download();
    for (int i = 0; i < 64 * 16; i++)
      EXPECT(out.host[i] == (i + 5) % 16);
  }
}

// Pointers converted to integers: differences, remainders and comparisons; in initialisers; of a selected pointer.
__device__ static int pool[16], spare[4];
__device__ static int *ends[2] = {pool + 3, pool + 16};
__device__ static unsigned long long keys[2] = {(unsigned long long)&pool[2], (unsigned long long)spare};
__device__ static unsigned long long head;
__global__ static void pointers_as_integers(long long *out, int zero) {
  unsigned long long a = (unsigned long long)ends[zero], b = (unsigned long long)ends[zero + 1];
  out[0] = (long long)(a - (unsigned long long)pool);
  out[1] = (long long)(a % 4);
  out[2] = b - a < sizeof pool;
  out[3] = ends[zero + 1] - ends[zero];
  out[4] = (long long)(keys[zero] - (unsigned long long)pool);
  out[5] = keys[zero + 1] == (unsigned long long)spare;
  head = (unsigned long long)(zero ? spare : pool);
  out[6] = atomicCAS(&head, (unsigned long long)(zero ? spare : pool), 7ull) != 7 && head == 7;
}
CASE(pointers_to_integers) {
  Array<long long> out(7);
  pointers_as_integers<<<1, 1>>>(out.device, 0);
  LAUNCHED();
  out.download();
  const long long expected[] = {12, 0, 1, 13, 8, 1, 1};
  for (int i = 0; i < 7; i++)
    EXPECT(out.host[i] == expected[i]);
}

// The host can use a pointer that a kernel has moved and stored.
struct Handle {
  float *values;
};
__global__ static void shift_handle(Handle *handle, float *values) {
  handle->values = values - 1;
}
CASE(handle_moved_by_kernel) {
  Array<Handle> handle(1);
  float *values;
  cudaPointerAttributes attributes;
  CU(cudaMalloc(&values, 100 * sizeof(float)));
  shift_handle<<<1, 1>>>(handle.device, values);
  LAUNCHED();
  handle.download();
  CU(cudaPointerGetAttributes(&attributes, handle.host[0].values + 1));
  EXPECT(attributes.type == cudaMemoryTypeDevice);
  CU(cudaFree(handle.host[0].values + 1));
}
