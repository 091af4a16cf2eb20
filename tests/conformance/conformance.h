// conformance.h: what the conformance programs share: kernels written where they are used, and children for what must fail.
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

// Runs f() in every thread, and waits.
template <typename F> static void on_device(dim3 grid, dim3 block, F f) {
  body_of<<<grid, block>>>(f);
  LAUNCHED();
}

// What f(thread) gives in each thread of `blocks` blocks.
template <typename T, typename F> static std::vector<T> each(int threads, F f, int blocks = 1) {
  Array<T> out((size_t)threads * blocks);
  results_of<<<blocks, threads>>>(out.device, f);
  LAUNCHED();
  out.download();
  return std::vector<T>(out.host, out.host + out.count);
}

// What f gives for each of the values.
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

// The next call must return this error and leave none pending.
#define FAILS(error, call) expect(fails((call), (error), #call, __LINE__), #call " gives " #error, __LINE__)
static inline bool fails(cudaError_t got, cudaError_t wanted, const char *call, int line) {
  if (got != wanted)
    printf("line %d: %s gives %d (%s)\n", line, call, (int)got, cudaGetErrorName(got));
  cudaGetLastError();
  return got == wanted;
}

// A case that the runner does not list, run in a separate process: it destroys the device's context.
#define HIDDEN(name)                                                                                                   \
  static void name();                                                                                                  \
  static Case case_##name(#name, name);                                                                                \
  static void name()

struct Child {
  int status;
  std::string text;
  bool says(const char *what) const { return text.find(what) != std::string::npos; }
};

// Runs this program with one case, and gathers what it writes.
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

// What is written to standard output while it lives.
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
