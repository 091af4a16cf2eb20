"""Kernels of Numba: each with a right result, then the same kinds with one bug each, on the line marked BUG."""

import math

import numpy as np
from numba import cuda, float32, int32

N = 256
THREADS = 64
BLOCKS = N // THREADS
TABLE = np.array([3, 1, 4, 1, 5, 9, 2, 6], dtype=np.int32)


def check(name, got, expected):
    assert np.allclose(got, expected), f"{name}: {got} is not {expected}"
    print("right:", name)


# --- Right kernels ---


@cuda.jit
def add(out, a, b):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = a[i] + b[i]


@cuda.jit
def reverse_blocks(out, a):
    tile = cuda.shared.array(THREADS, dtype=float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i]
    cuda.syncthreads()
    out[i] = tile[THREADS - 1 - t]


@cuda.jit
def rotate_dynamic(out, a):
    tile = cuda.shared.array(0, dtype=float32)
    t, i = cuda.threadIdx.x, cuda.grid(1)
    tile[t] = a[i]
    cuda.syncthreads()
    out[i] = tile[(t + 1) % cuda.blockDim.x]


@cuda.jit
def histogram(bins, values):
    i = cuda.grid(1)
    if i < values.size:
        cuda.atomic.add(bins, values[i], 1)


@cuda.jit
def largest(out, values):
    i = cuda.grid(1)
    cuda.atomic.max(out, 0, values[i])


@cuda.jit
def powers(out, a):
    terms = cuda.local.array(8, dtype=float32)
    i = cuda.grid(1)
    terms[0] = 1
    for k in range(1, 8):
        terms[k] = terms[k - 1] * a[i]
    total = float32(0)
    for k in range(8):
        total += terms[k]
    out[i] = total


@cuda.jit(device=True)
def distance(x, y):
    return math.sqrt(x * x + y * y)


@cuda.jit
def distances(out, x, y):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = distance(x[i], y[i])


@cuda.jit
def transpose(out, a):
    tile = cuda.shared.array((16, 17), dtype=float32)
    x, y = cuda.threadIdx.x, cuda.threadIdx.y
    tile[y, x] = a[y, x]
    cuda.syncthreads()
    out[y, x] = tile[x, y]


@cuda.jit
def warp_sums(out, a):
    i = cuda.grid(1)
    value = a[i]
    for offset in (16, 8, 4, 2, 1):
        value += cuda.shfl_down_sync(0xFFFFFFFF, value, offset)
    if i % 32 == 0:
        out[i // 32] = value


@cuda.jit
def look_up(out, indices):
    table = cuda.const.array_like(TABLE)
    i = cuda.grid(1)
    if i < out.size:
        out[i] = table[indices[i] % 8]


@cuda.jit
def waves(out, a):
    i = cuda.grid(1)
    if i < out.size:
        out[i] = math.sin(a[i]) ** 2 + math.exp(-a[i])


@cuda.jit
def fields(points, out):
    i = cuda.grid(1)
    if i < points.size:
        out[i] = points[i].x * 2 + points[i].k


def run_right():
    random = np.random.default_rng(1)
    a = random.random(N, dtype=np.float32)
    b = random.random(N, dtype=np.float32)
    values = random.integers(0, 16, N).astype(np.int32)
    grid = random.random((16, 16), dtype=np.float32)
    out = np.zeros(N, np.float32)

    add[BLOCKS, THREADS](out, a, b)
    check("add", out, a + b)
    reverse_blocks[BLOCKS, THREADS](out, a)
    check("reverse_blocks", out, a.reshape(BLOCKS, THREADS)[:, ::-1].ravel())
    rotate_dynamic[BLOCKS, THREADS, 0, THREADS * 4](out, a)
    check("rotate_dynamic", out, np.roll(a.reshape(BLOCKS, THREADS), -1, axis=1).ravel())
    bins = np.zeros(16, np.int32)
    histogram[BLOCKS, THREADS](bins, values)
    check("histogram", bins, np.bincount(values, minlength=16))
    top = np.zeros(1, np.int32)
    largest[BLOCKS, THREADS](top, values)
    check("largest", top, values.max())
    powers[BLOCKS, THREADS](out, a)
    check("powers", out, sum(a.astype(np.float64) ** k for k in range(8)))
    distances[BLOCKS, THREADS](out, a, b)
    check("distances", out, np.hypot(a, b))
    turned = np.zeros((16, 16), np.float32)
    transpose[1, (16, 16)](turned, grid)
    check("transpose", turned, grid.T)
    sums = np.zeros(N // 32, np.float32)
    warp_sums[BLOCKS, THREADS](sums, a)
    check("warp_sums", sums, a.reshape(-1, 32).sum(axis=1))
    found = np.zeros(N, np.int32)
    look_up[BLOCKS, THREADS](found, values)
    check("look_up", found, TABLE[values % 8])
    waves[BLOCKS, THREADS](out, a)
    check("waves", out, np.sin(a) ** 2 + np.exp(-a))
    points = np.zeros(N, dtype=[("x", np.float32), ("k", np.int32)])
    points["x"], points["k"] = a, values
    fields[BLOCKS, THREADS](points, out)
    check("fields", out, a * 2 + values)


# --- Kernels with a bug ---


@cuda.jit
def add_past_end(out, a):
    i = cuda.grid(1)
    out[i] = a[i] + 1  # BUG: out-of-bounds


@cuda.jit
def past_shared(out):
    tile = cuda.shared.array(THREADS, dtype=float32)
    t = cuda.threadIdx.x
    tile[t + out.size] = 1  # BUG: out-of-bounds
    cuda.syncthreads()
    out[t % out.size] = tile[0]


@cuda.jit
def past_dynamic(out):
    tile = cuda.shared.array(0, dtype=int32)
    t = cuda.threadIdx.x
    tile[t] = t  # BUG: out-of-bounds
    cuda.syncthreads()
    out[t] = tile[0]


@cuda.jit
def histogram_past_end(bins, values):
    i = cuda.grid(1)
    cuda.atomic.add(bins, values[i], 1)  # BUG: out-of-bounds


@cuda.jit(device=True)
def neighbour(a, i):
    return a[i + 1]  # BUG: out-of-bounds


@cuda.jit
def differences(out, a):
    i = cuda.grid(1)
    out[i] = neighbour(a, i) - a[i]


@cuda.jit
def past_rows(out):
    x, y = cuda.grid(2)
    out[y + 1, x] = 1  # BUG: out-of-bounds


@cuda.jit(lineinfo=False)
def without_lines(out):
    i = cuda.grid(1)
    out[i] = 1


@cuda.jit(debug=True, opt=False)
def past_end_with_debug(out):
    i = cuda.grid(1)
    if i <= 64:
        out[i] = 1  # BUG: out-of-bounds


def run_wrong():
    device = cuda.to_device(np.zeros(N, np.float32))
    small = cuda.to_device(np.zeros(N - 3, np.float32))
    numbers = cuda.to_device(np.zeros(THREADS, np.int32))
    add_past_end[BLOCKS, THREADS](small, device)
    past_shared[1, THREADS](device)
    past_dynamic[1, THREADS, 0, THREADS * 4 - 4](numbers)
    histogram_past_end[1, 16](cuda.to_device(np.zeros(15, np.int32)), cuda.to_device(np.arange(16, dtype=np.int32)))
    differences[BLOCKS, THREADS](device, cuda.to_device(np.zeros(N, np.float32)))
    past_rows[1, (16, 16)](cuda.to_device(np.zeros((16, 16), np.float32)))
    past_end_with_debug[1, 2 * THREADS](numbers)
    without_lines[1, N](device)
    cuda.synchronize()


if __name__ == "__main__":
    run_right()
    run_wrong()
