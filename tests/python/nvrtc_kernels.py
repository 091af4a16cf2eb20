"""NVRTC through cuda-python: kernels.cu compiled to a cubin and to PTX, by cuda.core and by cuda.bindings, with templates and a header."""

from pathlib import Path

import numpy as np
from cuda.bindings import driver, nvrtc
from cuda.core import Device, LaunchConfig, Program, ProgramOptions, launch

HERE = Path(__file__).resolve().parent
SOURCE = HERE / "kernels.cu"
N = 256


def check(name, got, expected):
    assert np.allclose(got, expected), f"{name}: {got} is not {expected}"
    print("right:", name)


def call(function, *arguments):
    status, *results = function(*arguments)
    assert int(status) == 0, f"{function.__name__}: {status}"
    return results[0] if len(results) == 1 else results


class Buffer:
    """An array on the device."""

    def __init__(self, array):
        self.host = np.ascontiguousarray(array)
        self.address = call(driver.cuMemAlloc, self.host.nbytes)
        call(driver.cuMemcpyHtoD, self.address, self.host.ctypes.data, self.host.nbytes)

    def get(self):
        call(driver.cuMemcpyDtoH, self.host.ctypes.data, self.address, self.host.nbytes)
        return self.host

    def __int__(self):
        return int(self.address)


def by_core(device, kind):
    """cuda.core: the names of templates as expressions, the header in a folder."""
    stream = device.create_stream()
    names = ["scale<float, 3>", "block_sum<double>", "scale_past_end<int, 2>", "weigh", "past_shared", "null"]
    options = ProgramOptions(name=str(SOURCE), arch=f"sm_{device.arch}", std="c++17", include_path=[str(HERE)])
    code = Program(SOURCE.read_text(), "c++", options).compile(kind, name_expressions=names[:3])

    def run(name, grid, block, *arguments):
        launch(stream, LaunchConfig(grid=grid, block=block), code.get_kernel(name), *arguments)
        stream.sync()

    a = np.arange(N, dtype=np.float32)
    out = Buffer(np.zeros_like(a))
    run(names[0], 4, 64, int(out), int(Buffer(a)), np.int32(N))
    check(f"scale, {kind}", out.get(), 3 * a)
    sums = Buffer(np.zeros(4))
    run(names[1], 4, 64, int(sums), int(Buffer(a.astype(np.float64))))
    check(f"block_sum, {kind}", sums.get(), a.reshape(4, 64).sum(axis=1))
    numbers = Buffer(np.zeros(64, np.int32))
    run("weigh", 1, 64, int(numbers))
    check(f"weigh, {kind}", numbers.get(), (np.arange(64) % 4 + 1) * np.arange(64))
    if kind == "cubin":
        run(names[2], 2, 64, int(numbers), int(numbers), np.int32(64))
        run("past_shared", 1, 64, int(numbers), np.int32(1))


def by_bindings(device):
    """cuda.bindings: the header as text, an option for lines, and a cubin as most libraries load it."""
    text, header = SOURCE.read_bytes(), (HERE / "scale.h").read_bytes()
    program = call(nvrtc.nvrtcCreateProgram, text, str(SOURCE).encode(), 1, [header], [b"scale.h"])
    call(nvrtc.nvrtcCompileProgram, program, 2, [f"--gpu-architecture=sm_{device.arch}".encode(), b"-lineinfo"])
    cubin = b" " * call(nvrtc.nvrtcGetCUBINSize, program)
    call(nvrtc.nvrtcGetCUBIN, program, cubin)
    call(nvrtc.nvrtcDestroyProgram, program)
    module = call(driver.cuModuleLoadData, cubin)
    kernel = call(driver.cuModuleGetFunction, module, b"null")
    arguments = ((0,), (np.ctypeslib.ctypes.c_void_p,))
    call(driver.cuLaunchKernel, kernel, 1, 1, 1, 64, 1, 1, 0, 0, arguments, 0)
    call(driver.cuCtxSynchronize)
    call(driver.cuModuleUnload, module)


device = Device()
device.set_current()
by_core(device, "cubin")
by_core(device, "ptx")
by_bindings(device)
