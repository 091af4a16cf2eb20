// refused.cu: launches kernels that the CPU device cannot run, and ignores CUDA's errors.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <sys/wait.h>
#include <unistd.h>

__global__ void fill(int *p) {
  *p = 1;
}
#ifndef CLUSTERS
template <int N> __global__ void reduce(int *p) {
  __shared__ alignas(16) int sums[4];
  asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%0], [%1], 16;" ::"l"(p),
               "r"((unsigned)__cvta_generic_to_shared(sums)));
  *p = N;
}
#endif

static void launch_refused(const char *what, int *p) {
#ifdef CLUSTERS
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.gridDim = config.blockDim = dim3(2);
  config.attrs = &attribute;
  config.numAttrs = 1;
  if (!strcmp(what, "clusters"))
    cudaLaunchKernelEx(&config, fill, p);
#else
  cudaFuncAttributes attributes;
  if (!strcmp(what, "one") || !strcmp(what, "three"))
    reduce<2><<<1, 1>>>(p);
  if (!strcmp(what, "three")) {
    reduce<2><<<1, 1>>>(p);
    reduce<3><<<1, 1>>>(p);
  }
  if (!strcmp(what, "query"))
    cudaFuncGetAttributes(&attributes, reduce<2>);
#endif
}

static void launch_other(const char *what, int *p) {
  cudaGraph_t graph;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  if (!strcmp(what, "shape"))
    fill<<<1, 100000>>>(p);
  if (!strcmp(what, "capture")) {
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
    fill<<<1, 1, 0, stream>>>(p);
    cudaStreamEndCapture(stream, &graph);
  }
  fill<<<1, 1>>>(p);
}

int main(int count, char **argv) {
  const char *end = count > 2 ? argv[2] : "0";
  int *p, value = 0, status = 0;
  cudaMalloc(&p, 4);
  launch_refused(argv[1], p);
  launch_other(argv[1], p);
  cudaMemcpy(&value, p, 4, cudaMemcpyDeviceToHost);
  printf("other: %d\n", value);
  fflush(stdout);
  if (!strcmp(end, "fork")) {
    if (!fork())
      exit(0);
    wait(&status);
    printf("child: %d\n", status);
    fflush(stdout);
  }
  if (!strcmp(end, "_exit"))
    _exit(0);
  return atoi(end);
}
