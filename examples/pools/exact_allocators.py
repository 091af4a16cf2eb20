"""exact_allocators.py: allocators for Python frameworks that serve every array from its own buffer, so that CuSafe knows its exact bounds and lifetime.

Each function is passed to the framework before its first allocation; docs/use/pools.md has the lines."""
import ctypes


def _load():
    """CUDA's runtime: the newest release that is installed."""
    for name in ("libcudart.so.13", "libcudart.so.12"):
        try:
            return ctypes.CDLL(name)
        except OSError:
            pass
    raise ImportError("no libcudart.so.13 or libcudart.so.12 found: add the folder of CUDA's libraries to LD_LIBRARY_PATH")


_runtime = _load()


def _check(error):
    if error:
        raise MemoryError("CUDA error %d" % error)


def allocate(size, stream=0):
    """RMM's allocation callback."""
    pointer = ctypes.c_void_p()
    _check(_runtime.cudaMallocAsync(ctypes.byref(pointer), ctypes.c_size_t(size), ctypes.c_void_p(_handle(stream))))
    return pointer.value or 0


def deallocate(pointer, size, stream=0):
    """RMM's deallocation callback."""
    _check(_runtime.cudaFreeAsync(ctypes.c_void_p(pointer), ctypes.c_void_p(_handle(stream))))


def _handle(stream):
    """RMM passes an object, or nothing."""
    return stream if isinstance(stream, int) else getattr(stream, "value", lambda: 0)()


def cupy_malloc(size, device):
    """The first function of cupy.cuda.PythonFunctionAllocator; CuPy has made the device current."""
    pointer = ctypes.c_void_p()
    _check(_runtime.cudaMalloc(ctypes.byref(pointer), ctypes.c_size_t(size)))
    return pointer.value or 0


def cupy_free(pointer, device):
    """The second function."""
    _check(_runtime.cudaFree(ctypes.c_void_p(pointer)))
