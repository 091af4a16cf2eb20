// executed.h: counts how often warps execute each basic block, for `bench/gpu --executed`: the pass inserts a call to
// __cs_count_block at the start of each (pass/blocks.c). Every thread has its own counters. After each launch the host
// combines the lanes of a warp.
#ifndef CUSAFE_BENCH_EXECUTED_H
#define CUSAFE_BENCH_EXECUTED_H

#include <algorithm>
#include <dlfcn.h>
#include <string>
#include <sys/mman.h>

static const unsigned MAX_BLOCKS = 1u << 16;
static const size_t COUNTER_BYTES = (size_t)1 << 36; // of addresses; only the rows of executed blocks get memory

// The pass writes a line for each function: its name, its first block, the number of blocks, a fingerprint.
extern "C" {
__device__ __attribute__((used)) char __cs_block_table[1 << 16];
}
__device__ unsigned *block_counters; // a row for each block, with a column for each thread of the launch
__device__ unsigned *block_is_executed;

static inline __device__ unsigned in_whole_warps(unsigned threads) {
  return (threads + 31) / 32 * 32;
}

#ifndef BENCH_GPU // where blocks are named instead
extern "C" __device__ __attribute__((used)) void __cs_count_block(unsigned number) {
  unsigned long block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  unsigned long lanes = in_whole_warps(blockDim.x * blockDim.y * blockDim.z);
  unsigned long row = lanes * gridDim.x * gridDim.y * gridDim.z;
  unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  block_counters[number * row + block * lanes + thread]++;
  block_is_executed[number] = 1;
}
#endif

struct Executed {
  std::vector<unsigned long> warps, threads; // executions of each block
  unsigned *counters = nullptr, *is_executed = nullptr;
  bool counting = false;

  Executed() : warps(MAX_BLOCKS), threads(MAX_BLOCKS) {}

  void start() {
    void *at = mmap(nullptr, COUNTER_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
      exit((perror("mmap"), 1));
    counters = (unsigned *)at;
    is_executed = (unsigned *)calloc(MAX_BLOCKS, sizeof *is_executed);
    CU(cudaMemcpyToSymbol(block_counters, &counters, sizeof counters));
    CU(cudaMemcpyToSymbol(block_is_executed, &is_executed, sizeof is_executed));
    counting = true;
  }

  // A warp executes a block as often as the lane that executes it most.
  void add(unsigned number, const unsigned *row, size_t columns) {
    for (size_t first = 0; first < columns; first += 32) {
      warps[number] += *std::max_element(row + first, row + first + 32);
      for (size_t i = first; i < first + 32; i++)
        threads[number] += row[i];
    }
  }

  void finish_launch(dim3 grid, dim3 block) {
    CU(cudaDeviceSynchronize());
    size_t lanes = (block.x * block.y * block.z + 31) / 32 * 32, columns = lanes * grid.x * grid.y * grid.z;
    for (unsigned number = 0; number < MAX_BLOCKS; number++)
      if (is_executed[number]) {
        unsigned *row = counters + number * columns;
        add(number, row, columns);
        std::fill(row, row + columns, 0);
        is_executed[number] = 0;
      }
  }
};
static Executed executed;

using Launch = cudaError_t(const void *, dim3, dim3, void **, size_t, cudaStream_t);

// With CUSAFE_BENCH_GRAPHS in the environment, each launch is that of a graph with one node.
static cudaError_t launch_graph(Launch *next, const void *kernel, dim3 grid, dim3 block, void **arguments,
                                size_t shared, cudaStream_t stream) {
  static cudaStream_t capturing;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  if (!capturing)
    CU(cudaStreamCreateWithFlags(&capturing, cudaStreamNonBlocking));
  CU(cudaStreamBeginCapture(capturing, cudaStreamCaptureModeThreadLocal));
  cudaError_t error = next(kernel, grid, block, arguments, shared, capturing);
  CU(cudaStreamEndCapture(capturing, &graph));
  CU(cudaGraphInstantiate(&executable, graph, 0));
  CU(cudaGraphLaunch(executable, stream));
  CU(cudaDeviceSynchronize());
  CU(cudaGraphExecDestroy(executable));
  CU(cudaGraphDestroy(graph));
  return error;
}

// The host side of <<<>>> calls this one instead of the runtime library's.
extern "C" cudaError_t cudaLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared,
                                        cudaStream_t stream) {
  static Launch *const next = (Launch *)dlsym(RTLD_NEXT, "cudaLaunchKernel");
  static const bool in_graphs = getenv("CUSAFE_BENCH_GRAPHS");
  cudaError_t error = in_graphs ? launch_graph(next, kernel, grid, block, arguments, shared, stream)
                                : next(kernel, grid, block, arguments, shared, stream);
  if (error == cudaSuccess && executed.counting)
    executed.finish_launch(grid, block);
  return error;
}

// One line: for each executed function its line of the table, then for each block the executions by warps and by
// threads; functions are separated by semicolons.
static inline void print_counts(Work &work) {
  std::string table(sizeof __cs_block_table, 0);
  CU(cudaMemcpyFromSymbol(&table[0], __cs_block_table, table.size()));
  work.prepare();
  executed.start();
  work.launch();
  CU(cudaDeviceSynchronize());
  char name[1024], fingerprint[16];
  unsigned first, count;
  for (const char *line = table.c_str(); sscanf(line, "%1023s %u %u %15s", name, &first, &count, fingerprint) == 4;
       line = strchr(line, '\n') + 1) {
    unsigned long sum = 0;
    for (unsigned i = first; i < first + count; i++)
      sum += executed.threads[i];
    if (!sum)
      continue;
    printf("%s %u %s", name, first, fingerprint);
    for (unsigned i = first; i < first + count; i++)
      printf(" %lu/%lu", executed.warps[i], executed.threads[i]);
    printf(";");
  }
  puts("");
}

#endif
