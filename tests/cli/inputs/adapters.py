# Calls the adapters of examples/pools as RMM and CuPy do, and fills as many bytes of 400 as the second argument says.
import ctypes
import sys

sys.path.insert(0, sys.argv[3])
import exact_allocators as exact

size = int(sys.argv[2])
runtime = ctypes.CDLL("libcudart.so.13")


def fill(pointer):
    print(runtime.cudaMemset(ctypes.c_void_p(pointer), 0, ctypes.c_size_t(size)))


if sys.argv[1] == "rmm":
    # rmm.mr.CallbackMemoryResource(allocate, deallocate)
    pointer = exact.allocate(400, 0)
    fill(pointer)
    exact.deallocate(pointer, 400, 0)
else:
    # cupy.cuda.PythonFunctionAllocator(cupy_malloc, cupy_free)
    pointer = exact.cupy_malloc(400, 0)
    fill(pointer)
    exact.cupy_free(pointer, 0)
