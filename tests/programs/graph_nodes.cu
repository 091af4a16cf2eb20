// A graph built node by node: kernel, copies, fill, host function, child graph, allocation; its parameters queried and changed.
#include "../check.h"

__constant__ int factor = 3;

__global__ void scale(int *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] *= factor;
}

__global__ void shift(int *p, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] += by;
}

static const int n = 500;
static int calls;

static void count_call(void *data) {
  *(int *)data += 1;
}

static cudaKernelNodeParams launch_of(void *kernel, void **args) {
  cudaKernelNodeParams params = {};
  params.func = kernel;
  params.gridDim = dim3((n + 127) / 128);
  params.blockDim = dim3(128);
  params.kernelParams = args;
  return params;
}

int main() {
  int *p, host[n], out[n], count = n, by = 100, five = 5;
  for (int i = 0; i < n; i++)
    host[i] = i;
  CU(cudaMalloc((void **)&p, sizeof host));
  cudaGraph_t graph, inner;
  CU(cudaGraphCreate(&graph, 0));
  CU(cudaGraphCreate(&inner, 0));
  cudaGraphNode_t in, constant, scaled, shifted, child, back, call, alloc, fill, release;
  CU(cudaGraphAddMemcpyNode1D(&in, graph, NULL, 0, p, host, sizeof host, cudaMemcpyHostToDevice));
  CU(cudaGraphAddMemcpyNodeToSymbol(&constant, graph, NULL, 0, factor, &five, sizeof five, 0, cudaMemcpyHostToDevice));
  void *scale_args[] = {&p, &count}, *shift_args[] = {&p, &count, &by};
  cudaKernelNodeParams scaling = launch_of((void *)scale, scale_args), shifting = launch_of((void *)shift, shift_args);
  cudaGraphNode_t first[] = {in, constant};
  CU(cudaGraphAddKernelNode(&scaled, graph, first, 2, &scaling));
  CU(cudaGraphAddKernelNode(&shifted, inner, NULL, 0, &shifting));
  CU(cudaGraphAddChildGraphNode(&child, graph, &scaled, 1, inner));
  CU(cudaGraphAddMemcpyNode1D(&back, graph, &child, 1, out, p, sizeof out, cudaMemcpyDeviceToHost));
  cudaHostNodeParams counting = {count_call, &calls};
  CU(cudaGraphAddHostNode(&call, graph, &back, 1, &counting));
  cudaMemAllocNodeParams request = {};
  request.poolProps.allocType = cudaMemAllocationTypePinned;
  request.poolProps.location.type = cudaMemLocationTypeDevice;
  request.bytesize = 4096;
  CU(cudaGraphAddMemAllocNode(&alloc, graph, &call, 1, &request));
  cudaMemsetParams zeros = {};
  zeros.dst = request.dptr;
  zeros.elementSize = 4;
  zeros.value = 0x01010101;
  zeros.width = 1024;
  zeros.height = 1;
  CU(cudaGraphAddMemsetNode(&fill, graph, &alloc, 1, &zeros));
  CU(cudaGraphAddMemFreeNode(&release, graph, &fill, 1, request.dptr));
  cudaKernelNodeParams got;
  CU(cudaGraphKernelNodeGetParams(scaled, &got));
  EXPECT(got.func == (void *)scale);
  EXPECT(*(int **)got.kernelParams[0] == p);
  cudaMemcpy3DParms copied;
  CU(cudaGraphMemcpyNodeGetParams(back, &copied));
  EXPECT(copied.dstPtr.ptr == out && copied.kind == cudaMemcpyDeviceToHost);
  cudaGraphExec_t exec;
  CU(cudaGraphInstantiate(&exec, graph, 0));
  for (int i = 0; i < 2; i++)
    CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
  EXPECT(calls == 2);
  long sum = 0;
  for (int i = 0; i < n; i++) {
    EXPECT(out[i] == 5 * i + 100);
    sum += out[i];
  }
  int seven = 7;
  CU(cudaGraphExecMemcpyNodeSetParamsToSymbol(exec, constant, factor, &seven, sizeof seven, 0, cudaMemcpyHostToDevice));
  by = -1;
  cudaGraph_t changed;
  CU(cudaGraphCreate(&changed, 0));
  cudaGraphNode_t again;
  CU(cudaGraphAddKernelNode(&again, changed, NULL, 0, &shifting));
  CU(cudaGraphExecChildGraphNodeSetParams(exec, child, changed));
  CU(cudaGraphLaunch(exec, 0));
  CU(cudaDeviceSynchronize());
  for (int i = 0; i < n; i++) {
    EXPECT(out[i] == 7 * i - 1);
    sum += out[i];
  }
  printf("sum %ld, calls %d\n", sum, calls);
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  CU(cudaGraphDestroy(inner));
  CU(cudaGraphDestroy(changed));
  CU(cudaFree(p));
  return verdict();
}
