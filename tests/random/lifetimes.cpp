// lifetimes.cpp: executes programs of driver calls that lifetimes.py writes: contexts, modules, libraries, streams,
// graphs and pools that come and go, in threads. Prints the outcome of each call and a checksum of each result, which
// the generator knows as well.
//
// A program is "program N", then for each thread "thread" and its calls, one per line: a verb and numbers of objects,
// which belong to the thread.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cusafe/cusafe.h>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static CUdevice device;
static std::map<int, std::string> texts; // PTX, by number of the variant

struct Buffer {
  CUdeviceptr start;
  int count;
};

// The objects of one thread, by number.
struct Thread {
  std::vector<std::string> calls;
  std::string out;
  std::map<int, CUcontext> contexts;
  std::map<int, CUmodule> modules;
  std::map<int, CUlibrary> libraries;
  std::map<int, CUfunction> functions;
  std::map<int, CUkernel> kernels;
  std::map<int, CUstream> streams;
  std::map<int, CUevent> events;
  std::map<int, CUmemoryPool> pools;
  std::map<int, CUgraph> graphs;
  std::map<int, CUgraphExec> executables;
  std::map<int, Buffer> buffers;
};

static unsigned checksum(const std::vector<int> &values) {
  unsigned sum = 2166136261u;
  for (int v : values)
    sum = (sum ^ (unsigned)v) * 16777619u;
  return sum;
}

static CUresult read_back(Thread &t, const Buffer &b, unsigned *sum) {
  std::vector<int> got(b.count);
  CUresult e = cuCtxSynchronize();
  if (!e)
    e = cuMemcpyDtoH(got.data(), b.start, b.count * sizeof(int));
  *sum = checksum(got);
  return e;
}

static CUresult launch(Thread &t, CUfunction f, std::istream &in) {
  int buffer, threads, n, q, stream;
  in >> buffer >> threads >> n >> q >> stream;
  CUdeviceptr p = t.buffers[buffer].start;
  void *arguments[] = {&p, &n, &q};
  return cuLaunchKernel(f, (threads + 31) / 32, 1, 1, 32, 1, 1, 0, stream < 0 ? NULL : t.streams[stream], arguments,
                        NULL);
}

static CUresult alloc_async(Thread &t, std::istream &in) {
  int buffer, count, stream, pool;
  in >> buffer >> count >> stream >> pool;
  Buffer &b = t.buffers[buffer];
  b.count = count;
  CUstream s = stream < 0 ? NULL : t.streams[stream];
  CUresult e = pool < 0 ? cuMemAllocAsync(&b.start, count * sizeof(int), s)
                        : cuMemAllocFromPoolAsync(&b.start, count * sizeof(int), t.pools[pool], s);
  return e ? e : cuMemsetD32Async(b.start, 0, count, s);
}

static CUresult create_pool(CUmemoryPool *pool) {
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  properties.location.id = device;
  return cuMemPoolCreate(pool, &properties);
}

// Captures one launch in the stream.
static CUresult capture(Thread &t, std::istream &in) {
  int graph, stream, function;
  in >> graph >> stream >> function;
  CUresult e = cuStreamBeginCapture(t.streams[stream], CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  if (!e)
    e = launch(t, t.functions[function], in);
  CUresult end = cuStreamEndCapture(t.streams[stream], &t.graphs[graph]);
  return e ? e : end;
}

static CUresult call(Thread &t, const std::string &verb, std::istream &in, unsigned *sum) {
  int a, b;
  auto next = [&] {
    int value = -1;
    in >> value;
    return value;
  };
  if (verb == "context") {
    CUresult e = cuCtxCreate(&t.contexts[a = next()], NULL, 0, device);
    return e;
  }
  if (verb == "use")
    return cuCtxSetCurrent((a = next()) < 0 ? NULL : t.contexts[a]);
  if (verb == "destroy")
    return cuCtxDestroy(t.contexts[next()]);
  if (verb == "retain")
    return cuDevicePrimaryCtxRetain(&t.contexts[next()], device);
  if (verb == "release")
    return cuDevicePrimaryCtxRelease(device);
  if (verb == "reset")
    return cuDevicePrimaryCtxReset(device);
  if (verb == "module")
    return a = next(), cuModuleLoadData(&t.modules[a], texts[next()].c_str());
  if (verb == "unload")
    return cuModuleUnload(t.modules[next()]);
  if (verb == "library")
    return a = next(), cuLibraryLoadData(&t.libraries[a], texts[next()].c_str(), 0, 0, 0, 0, 0, 0);
  if (verb == "unload_library")
    return cuLibraryUnload(t.libraries[next()]);
  if (verb == "function") {
    std::string name;
    a = next(), b = next();
    in >> name;
    return cuModuleGetFunction(&t.functions[a], t.modules[b], name.c_str());
  }
  if (verb == "kernel") { // a CUkernel that is launched as a function
    std::string name;
    a = next(), b = next();
    in >> name;
    CUresult e = cuLibraryGetKernel(&t.kernels[a], t.libraries[b], name.c_str());
    t.functions[a] = (CUfunction)t.kernels[a];
    return e;
  }
  if (verb == "function_of") {
    a = next(), b = next();
    return cuKernelGetFunction(&t.functions[a], t.kernels[b]);
  }
  if (verb == "library_module") {
    a = next(), b = next();
    return cuLibraryGetModule(&t.modules[a], t.libraries[b]);
  }
  if (verb == "alloc") {
    a = next(), b = next();
    t.buffers[a].count = b;
    CUresult e = cuMemAlloc(&t.buffers[a].start, b * sizeof(int));
    return e ? e : cuMemsetD32(t.buffers[a].start, 0, b);
  }
  if (verb == "free")
    return cuMemFree(t.buffers[next()].start);
  if (verb == "alloc_async")
    return alloc_async(t, in);
  if (verb == "free_async")
    return a = next(), b = next(), cuMemFreeAsync(t.buffers[a].start, b < 0 ? NULL : t.streams[b]);
  if (verb == "launch")
    return a = next(), launch(t, t.functions[a], in);
  if (verb == "read")
    return read_back(t, t.buffers[next()], sum);
  if (verb == "stream")
    return a = next(), cuStreamCreate(&t.streams[a], next() ? CU_STREAM_NON_BLOCKING : CU_STREAM_DEFAULT);
  if (verb == "destroy_stream")
    return cuStreamDestroy(t.streams[next()]);
  if (verb == "off")
    return cusafe_stream_checks(t.streams[next()], 0), CUDA_SUCCESS;
  if (verb == "event")
    return cuEventCreate(&t.events[next()], CU_EVENT_DISABLE_TIMING);
  if (verb == "record")
    return a = next(), cuEventRecord(t.events[a], t.streams[next()]);
  if (verb == "wait")
    return a = next(), cuStreamWaitEvent(t.streams[a], t.events[next()], 0);
  if (verb == "destroy_event")
    return cuEventDestroy(t.events[next()]);
  if (verb == "pool")
    return create_pool(&t.pools[next()]);
  if (verb == "destroy_pool")
    return cuMemPoolDestroy(t.pools[next()]);
  if (verb == "sync")
    return cuCtxSynchronize();
  if (verb == "capture")
    return capture(t, in);
  if (verb == "instantiate")
    return a = next(), cuGraphInstantiate(&t.executables[a], t.graphs[next()], 0);
  if (verb == "run")
    return a = next(), b = next(), cuGraphLaunch(t.executables[a], b < 0 ? NULL : t.streams[b]);
  if (verb == "destroy_graph")
    return cuGraphDestroy(t.graphs[next()]);
  if (verb == "destroy_executable")
    return cuGraphExecDestroy(t.executables[next()]);
  fprintf(stderr, "lifetimes: unknown call %s\n", verb.c_str());
  exit(2);
}

static void run(Thread *t) {
  for (const std::string &line : t->calls) {
    std::istringstream in(line);
    std::string verb;
    unsigned sum = 0;
    in >> verb;
    CUresult e = call(*t, verb, in, &sum);
    t->out += std::to_string(e) + " " + std::to_string(sum) + "\n";
  }
}

static void run_program(const std::string &number, std::vector<Thread> &threads) {
  std::vector<std::thread> running;
  fprintf(stderr, "program %s\n", number.c_str());
  for (size_t i = 1; i < threads.size(); i++)
    running.emplace_back(run, &threads[i]);
  if (!threads.empty())
    run(&threads[0]);
  for (std::thread &r : running)
    r.join();
  printf("program %s\n", number.c_str());
  for (Thread &t : threads)
    printf("thread\n%s", t.out.c_str());
  fflush(stdout);
}

// usage: lifetimes PROGRAMS MODULE.ptx...
int main(int argc, char **argv) {
  for (int i = 2; i < argc; i++) {
    std::ifstream file(argv[i]);
    texts[i - 2] = std::string(std::istreambuf_iterator<char>(file), {});
  }
  if (cuInit(0) || cuDeviceGet(&device, 0))
    return 3;
  std::ifstream programs(argv[1]);
  std::string line, number;
  std::vector<Thread> threads;
  while (std::getline(programs, line))
    if (line.rfind("program ", 0) == 0) {
      if (!number.empty())
        run_program(number, threads);
      number = line.substr(8);
      threads.clear();
    } else if (line == "thread")
      threads.emplace_back();
    else
      threads.back().calls.push_back(line);
  if (!number.empty())
    run_program(number, threads);
}
