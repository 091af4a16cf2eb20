// Two ways to end: a wild pointer at which the device stops the kernel, and a forked child of a process that uses CUDA.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int **rows) {
  rows[0][0] = 1;
}

static int wild() {
  int **rows, *row = (int *)0x1234567890;
  cudaMalloc(&rows, sizeof row);
  cudaMemcpy(rows, &row, sizeof row, cudaMemcpyHostToDevice);
  fill<<<1, 1>>>(rows);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}

static int child() {
  int *p, status;
  cudaMalloc(&p, 4);
  pid_t pid = fork();
  if (pid == 0)
    exit(cudaMalloc(&p, 4));
  waitpid(pid, &status, 0);
  printf("child: %d\n", WEXITSTATUS(status));
  return 0;
}

int main(int count, char **values) {
  return count > 1 && strcmp(values[1], "child") == 0 ? child() : wild();
}
