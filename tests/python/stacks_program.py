"""A use after free and an invalid kernel write in each kind of Python code; with the argument `good`, the same calls without an error.

`seen(case, event)` stands in the arguments of each call of CUDA, in its line: it notes the stack as Python itself sees it, which the
runner (tests/python/stacks) compares with CuSafe's. The program is written for ctypes, which releases the GIL, and uses nothing else."""

import asyncio
import contextlib
import ctypes
import functools
import gc
import importlib
import json
import os
import sys
import tempfile
import threading

BAD = sys.argv[2] == "bad"
SIZE = 64
runtime, driver = ctypes.CDLL("libcudart.so.13"), ctypes.CDLL("libcuda.so.1")
threading.excepthook = lambda failure: os._exit(1)
notes = {}  # case: event: frames, innermost first

PTX = b"""
.version 8.0
.target sm_80
.address_size 64
.visible .entry store(.param .u64 out, .param .u64 at) {
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [at];
  cvta.to.global.u64 %rd3, %rd1;
  add.s64 %rd4, %rd3, %rd2;
  st.global.u64 [%rd4], %rd1;
  ret;
}
"""


def seen(case, event, value):
    frame, frames = sys._getframe(1), []
    while frame:
        frames.append([frame.f_code.co_filename, frame.f_lineno, frame.f_code.co_qualname])
        frame = frame.f_back
    notes.setdefault(case, {})[event] = frames
    return value


def check(status):
    assert status == 0, status


def new(case, value=SIZE):
    p = ctypes.c_void_p()
    check(runtime.cudaMalloc(ctypes.byref(p), seen(case, "allocated", value)))
    return p


def free(case, p):
    check(runtime.cudaFree(seen(case, "freed", p)))


def use(case, p):
    runtime.cudaMemset(seen(case, "used", p), 0, ctypes.c_size_t(SIZE))


def judge(case, p):
    """Uses a buffer after its free, or in the good program another one that is valid."""
    if BAD:
        use(case, p)
    else:
        with valid() as other:
            use(case, other)


@contextlib.contextmanager
def valid():
    p = ctypes.c_void_p()
    check(runtime.cudaMalloc(ctypes.byref(p), SIZE))
    yield p
    check(runtime.cudaFree(p))


def nested():
    def outer():
        def inner(p):
            free("nested", p)

        p = new("nested")
        inner(p)
        return p

    judge("nested", outer())


def generator():
    def generate():
        p = new("generator")
        yield p
        free("generator", p)
        yield from delegate(p)

    def delegate(p):
        judge("generator", p)
        yield p

    list(generate())


def lambdas():
    allocate = lambda: new("lambdas")  # noqa: E731
    release = lambda p: (  # noqa: E731
        free("lambdas", p),
        judge("lambdas", p),
    )
    release(allocate())


def comprehension():
    buffers = [new("comprehension") for _ in range(1)]
    {free("comprehension", p): 1 for p in buffers}
    list(judge("comprehension", p) for p in buffers)


def thread():
    buffers = []
    first = threading.Thread(target=lambda: buffers.append(new("thread")))
    first.start(), first.join()
    second = threading.Thread(target=free, args=("thread", buffers[0]))
    second.start(), second.join()
    judge("thread", buffers[0])


def twice(times):
    def decorate(function):
        @functools.wraps(function)
        def wrapper(*arguments):
            return [function(*arguments) for _ in range(times)][0]

        return wrapper

    return decorate


def decorator():
    @twice(1)
    def allocate():
        return new("decorator")

    @twice(1)
    @twice(1)
    def release(p):
        free("decorator", p)

    p = allocate()
    release(p)
    judge("decorator", p)


def coroutine():
    async def allocate():
        await asyncio.sleep(0)
        return new("coroutine")

    async def release(p):
        await asyncio.sleep(0)
        free("coroutine", p)
        await asyncio.sleep(0)
        judge("coroutine", p)

    async def both():
        p = await asyncio.create_task(allocate())
        await asyncio.gather(release(p))

    asyncio.run(both())


class Buffer:
    def __init__(self, case):
        self.case = case
        self.p = new(case)

    def __del__(self):
        free(self.case, self.p)

    @property
    def address(self):
        return self.p


def finaliser():
    buffer = Buffer("finaliser")
    p = buffer.address
    del buffer
    judge("finaliser", p)


def collected():
    """Freed by the garbage collector, which runs inside of a call."""
    buffer = Buffer("collected")
    p = buffer.address
    buffer.itself = buffer
    del buffer
    gc.collect()
    judge("collected", p)


def specialised():
    """The interpreter calls __init__ by a frame of its own once it has seen it often."""
    for i in range(50):
        buffer = Buffer("specialised")
        p = buffer.p
        del buffer
    judge("specialised", p)


def recursion():
    def descend(depth):
        if depth:
            return descend(depth - 1)
        p = new("recursion")
        free("recursion", p)
        judge("recursion", p)

    descend(60)


def executed():
    code = "def fake(case):\n\n    p = new(case)\n    free(case, p)\n    return p\n"
    names = {"new": new, "free": free}
    exec(compile(code, "<made up: 'x.py'>", "exec"), names)
    judge("executed", names["fake"]("executed"))


def recycled():
    """Code objects of the same name at the same address, whose lines differ."""
    for i in range(12):
        names = {"new": new, "free": free, "judge": judge}
        empty = "\n" * i
        exec(compile(f"def same(case):\n{empty}    p = new(case)\n    free(case, p)\n    judge(case, p)\n", "same.py", "exec"), names)
        names["same"](f"recycled{i}")
        del names


def large():
    """A table of lines of several thousand entries, with steps backwards."""
    body = "".join(f"    x = (\n        {i} +\n\n\n\n        len(str({i})))\n" for i in range(2000))
    names = {"new": new, "free": free, "judge": judge}
    exec(compile(f"def far(case):\n{body}    p = new(case)\n{body}    free(case, p)\n    judge(case, p)\n", "large.py", "exec"), names)
    names["far"]("large")


def other_alphabets():
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        for name in ("café", "日本語", "𐌰𐌱"):
            source = f"def {name}(case, new, free, judge):\n    p = new(case)\n    free(case, p)\n    judge(case, p)\n"
            with open(os.path.join(folder, name + ".py"), "w", encoding="utf-8") as file:
                file.write(source)
            getattr(importlib.import_module(name), name)(f"alphabet {name}", new, free, judge)
        sys.path.pop(0)


def callback():
    """C code between Python's frames."""
    kept = []
    compare = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)
    numbers = (ctypes.c_int * 2)(2, 1)

    @compare
    def allocate(_a, _b):
        kept.append(new("callback"))
        return 0

    ctypes.CDLL(None).qsort(numbers, ctypes.c_size_t(2), ctypes.c_size_t(4), allocate)
    sorted(kept[:1], key=lambda p: free("callback", p))
    for _ in map(functools.partial(judge, "callback"), kept[:1]):
        pass


def with_gil():
    holding = ctypes.PyDLL("libcudart.so.13")
    p = ctypes.c_void_p()
    check(holding.cudaMalloc(ctypes.byref(p), seen("with_gil", "allocated", SIZE)))
    check(holding.cudaFree(seen("with_gil", "freed", p)))
    judge("with_gil", p)


def traced():
    sys.settrace(lambda *_: lambda *_: None)
    try:
        p = new("traced")
        free("traced", p)
        judge("traced", p)
    finally:
        sys.settrace(None)


def main():
    """A name that ends the stacks of C programs."""
    p = new("main")
    free("main", p)
    judge("main", p)


def launch():
    check(driver.cuInit(0))
    module, function, p = ctypes.c_void_p(), ctypes.c_void_p(), new("launch")
    check(driver.cuModuleLoadData(ctypes.byref(module), PTX))
    check(driver.cuModuleGetFunction(ctypes.byref(function), module, b"store"))

    def run():
        check(runtime.cudaSetDevice(0))
        place = ctypes.c_uint64(SIZE - (0 if BAD else 8))
        values = (ctypes.c_void_p * 2)(*(ctypes.cast(ctypes.pointer(v), ctypes.c_void_p) for v in (p, place)))
        check(driver.cuLaunchKernel(function, *(1,) * 6, 0, None, values, seen("launch", "launched", None)))

    thread = threading.Thread(target=run)
    thread.start(), thread.join()
    check(driver.cuCtxSynchronize())


if __name__ == "__main__":
    check(runtime.cudaFree(None))
    for case in (nested, generator, lambdas, comprehension, thread, decorator, coroutine, finaliser, collected, specialised, recursion,
                 executed, recycled, large, other_alphabets, callback, with_gil, traced, main, launch):
        case()
    with open(sys.argv[1], "w", encoding="utf-8") as out:
        json.dump(notes, out)
