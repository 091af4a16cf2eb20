// A program whose child, the same program, runs a kernel with another bug: before (late) or after (early) the parent's own CUDA calls,
// executed or forked. copied: as early, with an environment from before libcusafe was loaded, such as Python's copy.
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

__global__ void of_parent(int *p) {
  p[10] = 1;
}

__global__ void of_child(int *p) {
  p[11] = 1;
}

static int run(void (*kernel)(int *)) {
  int *p;
  cudaMalloc(&p, 10 * sizeof *p);
  kernel<<<1, 1>>>(p);
  return cudaDeviceSynchronize() != cudaSuccess;
}

static void run_child(const char *program, bool execute, bool copied = false) {
  pid_t child = fork();
  if (child == 0 && copied)
    unsetenv("CUSAFE_BEGUN");
  if (child == 0 && execute)
    execl(program, program, "child", nullptr);
  if (child == 0)
    exit(run(of_child));
  waitpid(child, nullptr, 0);
}

int main(int argc, char **argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  if (how == "child")
    return run(of_child);
  if (how == "late" || how == "forked")
    run_child(argv[0], how == "late");
  int status = run(of_parent);
  if (how == "early" || how == "copied")
    run_child(argv[0], true, how == "copied");
  return status;
}
