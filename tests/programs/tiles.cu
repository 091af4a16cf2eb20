// Tiles of a size that is only known at run time, which leave unreachable code.
#include "../check.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void ranks(int *rank, int *tile, unsigned size) {
  cg::thread_group part = cg::tiled_partition(cg::this_thread_block(), size);
  part.sync();
  rank[threadIdx.x] = (int)part.thread_rank();
  tile[threadIdx.x] = (int)part.size();
}

int main() {
  const int count = 64;
  int *rank, *tile, ranks_here[count], sizes[count];
  CU(cudaMalloc(&rank, sizeof ranks_here));
  CU(cudaMalloc(&tile, sizeof sizes));
  for (unsigned size : {4u, 32u}) {
    ranks<<<1, count>>>(rank, tile, size);
    LAUNCHED();
    CU(cudaMemcpy(ranks_here, rank, sizeof ranks_here, cudaMemcpyDeviceToHost));
    CU(cudaMemcpy(sizes, tile, sizeof sizes, cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < count; i++)
      EXPECT(ranks_here[i] == (int)(i % size) && sizes[i] == (int)size);
  }
  return verdict();
}
