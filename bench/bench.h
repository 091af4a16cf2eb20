// bench.h: what the programs of the bench share: arrays with reproducible data, the clock, the comparison with the
// host's results, and the protocol of bench/run.
#ifndef CUSAFE_BENCH_H
#define CUSAFE_BENCH_H

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <vector>

#define CU(call) check_cuda((call), #call, __LINE__)
static inline void check_cuda(cudaError_t error, const char *call, int line) {
  if (error == cudaSuccess)
    return;
  printf("line %d: %s: %s\n", line, call, cudaGetErrorString(error));
  exit(1);
}

// The same number for an index in every run and every program, so that the hand-written twins use the same data.
static inline uint32_t scramble(uint32_t index, uint32_t seed) {
  uint32_t x = index * 0x9e3779b1u + seed * 0x85ebca6bu + 1;
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

static inline float unit(uint32_t index, uint32_t seed) {
  return (float)(scramble(index, seed) >> 8) / 16777216.0f; // in [0, 1)
}

// With CUSAFE_BENCH_CARVED, arrays are sub-allocations of larger buffers:
//     bench/run --way checked= --way carved=-DCUSAFE_BENCH_CARVED
#ifdef CUSAFE_BENCH_CARVED
#include <cusafe/cusafe.h>
enum { kCarvedAt = 512 };
static inline void *carved(void *whole, size_t bytes) {
  return cusafe_carve((char *)whole + kCarvedAt, bytes);
}
#else
enum { kCarvedAt = 0 };
static inline void *carved(void *whole, size_t) {
  return whole;
}
#endif

// An array on the host with its copy on the device.
template <typename T> struct Buffer {
  std::vector<T> host;
  void *whole = nullptr;
  T *device = nullptr;
  explicit Buffer(size_t count) : host(count) {
    CU(cudaMalloc(&whole, count * sizeof(T) + 2 * kCarvedAt));
    device = (T *)carved(whole, count * sizeof(T));
  }
  Buffer(const Buffer &) = delete;
  ~Buffer() { CU(cudaFree(whole)); }
  size_t bytes() const { return host.size() * sizeof(T); }
  void upload() { CU(cudaMemcpy(device, host.data(), bytes(), cudaMemcpyHostToDevice)); }
  void download() { CU(cudaMemcpy(host.data(), device, bytes(), cudaMemcpyDeviceToHost)); }
  void clear() { CU(cudaMemset(device, 0, bytes())); }
  T &operator[](size_t i) { return host[i]; }
  const T &operator[](size_t i) const { return host[i]; }
  std::vector<T> result() const {
    std::vector<T> copy(host.size());
    CU(cudaMemcpy(copy.data(), device, bytes(), cudaMemcpyDeviceToHost));
    return copy;
  }
};

// Floats between low and high, already uploaded.
struct Floats : Buffer<float> {
  explicit Floats(size_t count) : Buffer(count) { clear(); }
  Floats(size_t count, uint32_t seed, float low = 0, float high = 1) : Buffer(count) {
    for (size_t i = 0; i < count; i++)
      host[i] = low + (high - low) * unit((uint32_t)i, seed);
    upload();
  }
};

// The result of verify(). Values may differ from the host's by the rounding errors of another order of operations.
struct Verdict {
  long wrong = 0;
  void expect(bool ok, const char *what, long index, double got, double expected) {
    if (ok)
      return;
    if (wrong++ < 5)
      fprintf(stderr, "%s[%ld] is %.9g, not %.9g\n", what, index, got, expected);
  }
  void near(const char *what, long index, double got, double expected, double tolerance) {
    expect(std::fabs(got - expected) <= tolerance * (1 + std::fabs(expected)), what, index, got, expected);
  }
  template <typename T, typename W>
  void all(const char *what, const std::vector<T> &got, const std::vector<W> &expected, double tolerance = 1e-4) {
    expect(got.size() == expected.size(), what, -1, (double)got.size(), (double)expected.size());
    for (size_t i = 0; i < expected.size(); i++)
      near(what, (long)i, (double)got[i], (double)expected[i], tolerance);
  }
  // The device has overwritten the matrix with its factors L (ones on the diagonal) and U: their product must be the
  // matrix.
  void factors(const Floats &matrix, int n) {
    std::vector<float> f = matrix.result();
    std::vector<double> row(n);
    for (int i = 0; i < n; i++) {
      row.assign(n, 0);
      for (int k = 0; k <= i; k++)
        for (int j = k; j < n; j++)
          row[j] += (k == i ? 1.0 : (double)f[i * n + k]) * f[k * n + j];
      for (int j = 0; j < n; j++)
        near("lu", i * n + j, row[j], matrix[i * n + j], 1e-4);
    }
  }
};

// One kernel of the bench with its data. Only launch() is timed; prepare() restores the data that launch() overwrites.
struct Work {
  virtual ~Work() {}
  virtual void prepare() {}
  virtual void launch() = 0;
  virtual void verify(Verdict &v) = 0;
  virtual long items() const { return 0; } // produced by a launch, for kernels measured by their rate
};

// The kernels of this program, with their quick and full sizes.
struct Entry {
  const char *name;
  int quick, full;
  Work *(*make)(int size);
};
static std::vector<Entry> entries;

template <typename W> struct Register {
  Register(const char *name, int quick, int full) {
    entries.push_back({name, quick, full, [](int size) -> Work * { return new W(size); }});
  }
};

// Parameters of a work other than its size: --set name=value.
static std::vector<const char *> settings;
static inline int setting(const char *name, int otherwise) {
  size_t length = strlen(name);
  for (const char *text : settings)
    if (!strncmp(text, name, length) && text[length] == '=')
      return atoi(text + length + 1);
  return otherwise;
}

static inline int blocks(long count, int size) {
  return (int)((count + size - 1) / size);
}

// A two-dimensional grid with a thread for each of columns times rows.
static const dim3 TILE(32, 8);
static inline dim3 over(int columns, int rows) {
  return dim3(blocks(columns, TILE.x), blocks(rows, TILE.y));
}

// BENCH_CLOCK=cpu: the CPU time of this process, for loaded machines.
static inline double now_ms() {
  static const char *const kind = getenv("BENCH_CLOCK");
  timespec t;
  clock_gettime(kind && !strcmp(kind, "cpu") ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static inline double timed(Work &work) {
  work.prepare();
  CU(cudaDeviceSynchronize());
  double start = now_ms();
  work.launch();
  CU(cudaGetLastError());
  CU(cudaDeviceSynchronize());
  return now_ms() - start;
}

// The whole work: its arrays are allocated and filled, its kernel is launched once, and the arrays are freed.
static inline double timed_whole(const Entry &entry, int size) {
  CU(cudaDeviceSynchronize());
  double start = now_ms();
  Work *work = entry.make(size);
  work->prepare();
  work->launch();
  CU(cudaDeviceSynchronize());
  delete work;
  return now_ms() - start;
}

static inline bool verified(Work &work) {
  Verdict verdict;
  work.prepare();
  work.launch();
  CU(cudaDeviceSynchronize());
  work.verify(verdict);
  return verdict.wrong == 0;
}

#ifdef BENCH_COUNT
#include "count.h"
#elif defined BENCH_EXECUTED
#include "executed.h"
#else
static inline void print_counts(Work &) {
  puts("?");
}
#endif

// Serves requests of bench/run, one per line. bench/run lets several such programs launch alternately.
static inline int serve(const Entry &entry, int size, Work &work, bool counting) {
  char line[64];
  printf("ready %.6f %ld\n", counting ? 0 : timed(work), work.items());
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    if (!strcmp(line, "launch\n"))
      printf("%.6f\n", timed(work));
    else if (!strcmp(line, "whole\n"))
      printf("%.6f\n", timed_whole(entry, size));
    else if (!strcmp(line, "count\n"))
      print_counts(work);
    else if (!strcmp(line, "verify\n"))
      puts(verified(work) ? "right" : "wrong");
    else
      puts("?");
    fflush(stdout);
  }
  return 0;
}

static inline int run_alone(const Entry &entry, int size, Work &work) {
  double first = timed(work), best = first;
  for (int i = 0; i < 5; i++)
    best = std::fmin(best, timed(work));
  bool right = verified(work);
  printf("%s: size %d, first launch %.1f ms, then %.2f ms, %s\n", entry.name, size, first, best,
         right ? "right" : "WRONG");
  if (work.items())
    printf("%s: %.1f per second\n", entry.name, (double)work.items() * 1e3 / best);
  return !right;
}

int main(int argc, char **argv) {
  const char *name = nullptr;
  bool quick = false, serving = false, counting = false;
  int size = 0;
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "--list"))
      for (const Entry &e : entries)
        puts(e.name);
    else if (!strcmp(argv[i], "--quick"))
      quick = true;
    else if (!strcmp(argv[i], "--serve"))
      serving = true;
    else if (!strcmp(argv[i], "--count")) // no launch until requested
      counting = true;
    else if (!strcmp(argv[i], "--size") && i + 1 < argc)
      size = atoi(argv[++i]);
    else if (!strcmp(argv[i], "--set") && i + 1 < argc)
      settings.push_back(argv[++i]);
    else if (argv[i][0] != '-')
      name = argv[i];
    else
      return fprintf(stderr, "usage: PROGRAM --list | [NAME] [--quick] [--size N] [--set NAME=VALUE] [--serve]\n"), 2;
  }
  int status = 0, found = argc > 1 && !strcmp(argv[1], "--list");
  for (const Entry &e : entries) {
    if (found && !name && argc == 2)
      break; // only --list was given
    if (name && strcmp(name, e.name))
      continue;
    int n = size > 0 ? size : quick ? e.quick : e.full;
    Work *work = e.make(n);
    status |= serving ? serve(e, n, *work, counting) : run_alone(e, n, *work);
    delete work;
    found = 1;
  }
  if (!found)
    fprintf(stderr, "no kernel named %s in this program; see --list\n", name ? name : "");
  return found ? status : 2;
}

#endif
