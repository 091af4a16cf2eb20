// conformance.h: shared by the conformance programs: kernels as lambdas, and child processes for cases that must fail.
#ifndef CUSAFE_TESTS_CONFORMANCE_H
#define CUSAFE_TESTS_CONFORMANCE_H

#include "../effectiveness/case.h"
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

template <typename F> __global__ void body_of(F f) {
  f();
}
template <typename T, typename F> __global__ void results_of(T *out, F f) {
  unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = f((int)t);
}
template <typename T, typename R, typename F> __global__ void mapped_by(const T *in, size_t count, R *out, F f) {
  size_t t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < count)
    out[t] = f(in[t]);
}

// Runs f() in every thread and synchronises.
template <typename F> static void on_device(dim3 grid, dim3 block, F f) {
  body_of<<<grid, block>>>(f);
  LAUNCHED();
}

// The results of f(thread) in each thread of `blocks` blocks.
template <typename T, typename F> static std::vector<T> each(int threads, F f, int blocks = 1) {
  Array<T> out((size_t)threads * blocks);
  results_of<<<blocks, threads>>>(out.device, f);
  LAUNCHED();
  out.download();
  return std::vector<T>(out.host, out.host + out.count);
}

// The results of f for each of the values.
template <typename R, typename T, typename F> static std::vector<R> map_on_device(const std::vector<T> &values, F f) {
  Array<T> in(values.size());
  Array<R> out(values.size());
  std::copy(values.begin(), values.end(), in.host);
  in.upload();
  mapped_by<<<(unsigned)(values.size() + 127) / 128, 128>>>(in.device, in.count, out.device, f);
  LAUNCHED();
  out.download();
  return std::vector<R>(out.host, out.host + out.count);
}

// The call must return this error.
#define FAILS(error, call) expect(fails((call), (error), #call, __LINE__), #call " returns " #error, __LINE__)
static inline bool fails(cudaError_t got, cudaError_t expected, const char *call, int line) {
  if (got != expected)
    printf("line %d: %s returns %d (%s)\n", line, call, (int)got, cudaGetErrorName(got));
  cudaGetLastError();
  return got == expected;
}

// A case for child(), which the runner does not run itself: it destroys the device's context.
#define HIDDEN(name)                                                                                                   \
  static void name();                                                                                                  \
  static Case case_##name(#name, name);                                                                                \
  static void name()

struct Child {
  int status;
  std::string text;
  bool contains(const char *what) const { return text.find(what) != std::string::npos; }
};

// Runs one case of this program in a child process and collects its output.
static inline Child child(const char *name) {
  char self[4096] = "";
  Child result = {-1, ""};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
    return result;
  FILE *pipe = popen(("'" + std::string(self) + "' " + name + " 2>&1").c_str(), "r");
  if (!pipe)
    return result;
  char part[1024];
  for (size_t n; (n = fread(part, 1, sizeof part, pipe)) > 0;)
    result.text.append(part, n);
  int status = pclose(pipe);
  result.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

// Captures standard output until stop() or its destruction.
struct Capture {
  int saved;
  FILE *file;
  Capture() : saved((fflush(stdout), dup(1))), file(tmpfile()) { dup2(fileno(file), 1); }
  ~Capture() {
    stop();
    fclose(file);
  }
  void stop() {
    if (saved < 0)
      return;
    fflush(stdout);
    dup2(saved, 1);
    close(saved);
    saved = -1;
  }
  std::string text() {
    stop();
    std::string all;
    rewind(file);
    for (int c; (c = fgetc(file)) != EOF;)
      all += (char)c;
    return all;
  }
};

#endif
