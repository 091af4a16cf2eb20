// Loads a large PTX module (large_module.py), as a module or as a library, and launches a few of its kernels. The
// arguments: the file, "module" or "library", and the index that the last kernel accesses.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <initializer_list>
#include <sys/resource.h>

static void call(CUresult result, const char *what) {
  if (result == CUDA_SUCCESS)
    return;
  printf("%s: error %d\n", what, result);
  exit(1);
}
#define CALL(x) call(x, #x)

static double processor_time() {
  double seconds = 0;
  for (int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used;
    getrusage(who, &used);
    for (timeval t : {used.ru_utime, used.ru_stime})
      seconds += (double)t.tv_sec + (double)t.tv_usec * 1e-6;
  }
  return seconds;
}

// A module and a library have the same calls.
struct Code {
  CUmodule module = nullptr;
  CUlibrary library = nullptr;
  bool is_function_first = false; // looked up before its kernel

  Code(const char *path, bool is_library) {
    if (is_library)
      CALL(cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr, nullptr, 0));
    else
      CALL(cuModuleLoad(&module, path));
  }
  void unload() const {
    if (library)
      CALL(cuLibraryUnload(library));
    else
      CALL(cuModuleUnload(module));
  }
  CUresult find(CUfunction *f, const char *name) const {
    CUmodule own = module;
    if (!library)
      return cuModuleGetFunction(f, module, name);
    if (is_function_first) {
      CALL(cuLibraryGetModule(&own, library));
      cuModuleGetFunction(f, own, name);
    }
    return cuLibraryGetKernel((CUkernel *)f, library, name);
  }
  // A kernel that is lifted when it is looked up belongs to what the program has loaded, and has one function in a
  // context.
  bool owns(CUfunction f, const char *name) const {
    CUlibrary of_kernel = nullptr;
    CUmodule of_function, own = module;
    CUfunction same;
    if (library) {
      CALL(cuKernelGetLibrary(&of_kernel, (CUkernel)f));
      CALL(cuLibraryGetModule(&own, library));
      CALL(cuKernelGetFunction(&f, (CUkernel)f));
    }
    CALL(cuFuncGetModule(&of_function, f));
    CALL(cuModuleGetFunction(&same, own, name));
    return of_kernel == library && of_function == own && same == f;
  }
  void launch(const char *name, unsigned threads, void *argument) const {
    CUfunction f;
    CALL(find(&f, name));
    if (!owns(f, name))
      printf("%s is of another module\n", name);
    CALL(cuLaunchKernel(f, 1, 1, 1, threads, 1, 1, 0, nullptr, &argument, nullptr));
    CALL(cuCtxSynchronize());
  }
  CUdeviceptr variable(const char *name) const {
    CUdeviceptr address;
    size_t bytes;
    if (library)
      CALL(cuLibraryGetGlobal(&address, &bytes, library, name));
    else
      CALL(cuModuleGetGlobal(&address, &bytes, module, name));
    return address;
  }
};

static void add(const Code &code, CUdeviceptr out) {
  unsigned values[32], sum = 0;
  code.launch("add", 32, &out);
  CALL(cuMemcpyDtoH(values, out, sizeof values));
  for (unsigned i = 0; i < 32; i++)
    sum += values[i] - 2 * i;
  printf("add: %u\n", sum / 32);
}

int main(int, char **argv) {
  CUcontext context;
  CUdeviceptr out;
  unsigned seven = 7, zero = 0, index = (unsigned)atoi(argv[3]), value;
  setvbuf(stdout, nullptr, _IOLBF, 0);
  CALL(cuInit(0));
  CALL(cuDevicePrimaryCtxRetain(&context, 0));
  CALL(cuCtxSetCurrent(context));
  CALL(cuMemAlloc(&out, 32 * sizeof(unsigned)));
  for (int again = 0; again < 2; again++) {
    double before = processor_time();
    Code code(argv[1], strcmp(argv[2], "library") == 0);
    double seconds = processor_time() - before;
    code.is_function_first = again;
    printf("loaded %s\n", seconds < 1 ? "within a second" : "slowly");
    fprintf(stderr, "loaded in %.3f s of processor time\n", seconds);
    add(code, out);
    CALL(cuMemcpyHtoD(code.variable("counter"), &seven, sizeof seven));
    add(code, out);
    code.launch("bump", 1, &zero);
    CALL(cuMemcpyDtoH(&value, code.variable("counter"), sizeof value));
    printf("counter: %u\n", value);
    add(code, out);
    code.launch("k3999", 1, &out);
    CUfunction f;
    printf("refused: %d, missing: %d\n", code.find(&f, "refused"), code.find(&f, "missing"));
    if (again)
      code.launch("bump", 1, &index);
    code.unload();
  }
}
