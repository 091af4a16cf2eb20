"""Kernels of Triton: vector addition, softmax and layer normalisation with right results, then each with a bug on the line marked BUG."""

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver
from cuda.core import Device


def check(name, got, expected):
    assert np.allclose(got, expected, rtol=1e-4, atol=1e-5), f"{name}: {got} is not {expected}"
    print("right:", name)


def call(function, *arguments):
    status, *results = function(*arguments)
    assert int(status) == 0, f"{function.__name__}: {status}"
    return results[0] if results else None


class Tensor:
    """What Triton needs of an array: its type and the address on the device."""

    def __init__(self, array):
        self.host = np.ascontiguousarray(array)
        self.dtype = self.host.dtype.name
        self.address = call(driver.cuMemAlloc, self.host.nbytes)
        call(driver.cuMemcpyHtoD, self.address, self.host.ctypes.data, self.host.nbytes)

    def data_ptr(self):
        return int(self.address)

    def get(self):
        call(driver.cuMemcpyDtoH, self.host.ctypes.data, self.address, self.host.nbytes)
        return self.host


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def softmax(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    scaled = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + i, scaled / tl.sum(scaled, axis=0), mask=i < columns)


@triton.jit
def layer_norm(out, x, weight, bias, stride, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < columns
    values = tl.load(x + row * stride + i, mask=mask, other=0.0)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(mask, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    result = centred * scale * tl.load(weight + i, mask=mask) + tl.load(bias + i, mask=mask)
    tl.store(out + row * stride + i, result, mask=mask)


@triton.jit
def add_without_mask(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    total = tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask)
    tl.store(out + i, total)  # BUG: out-of-bounds


@triton.jit
def softmax_past_columns(out, x, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, mask=i <= columns, other=-float("inf"))  # BUG: out-of-bounds
    scaled = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * stride + i, scaled / tl.sum(scaled, axis=0), mask=i < columns)


@triton.jit
def short_weight(out, x, weight, columns, BLOCK: tl.constexpr):
    i = tl.arange(0, BLOCK)
    mask = i < columns
    weights = tl.load(weight + i, mask=mask)  # BUG: out-of-bounds
    tl.store(out + i, tl.load(x + i, mask=mask) * weights, mask=mask)


Device().set_current()
random = np.random.default_rng(2)
n = 1000
x = random.random(n, dtype=np.float32)
y = random.random(n, dtype=np.float32)
out = Tensor(np.zeros_like(x))
add[(triton.cdiv(n, 256),)](Tensor(x), Tensor(y), out, n, BLOCK=256)
check("add", out.get(), x + y)

rows, columns = 7, 100
table = random.standard_normal((rows, columns)).astype(np.float32)
result = Tensor(np.zeros_like(table))
softmax[(rows,)](result, Tensor(table), columns, columns, BLOCK=128)
exponents = np.exp(table - table.max(axis=1, keepdims=True))
check("softmax", result.get(), exponents / exponents.sum(axis=1, keepdims=True))

weight = random.random(columns, dtype=np.float32)
bias = random.random(columns, dtype=np.float32)
layer_norm[(rows,)](result, Tensor(table), Tensor(weight), Tensor(bias), columns, columns, 1e-5, BLOCK=128)
centred = table - table.mean(axis=1, keepdims=True)
check("layer_norm", result.get(), centred / np.sqrt(table.var(axis=1, keepdims=True) + 1e-5) * weight + bias)

add_without_mask[(triton.cdiv(n, 256),)](Tensor(x), Tensor(y), Tensor(np.zeros_like(x)), n, BLOCK=256)
softmax_past_columns[(rows,)](Tensor(np.zeros_like(table)), Tensor(table), columns, columns, BLOCK=128)
short_weight[(1,)](Tensor(np.zeros(columns, np.float32)), Tensor(x), Tensor(weight[:-1]), columns, BLOCK=128)
call(driver.cuCtxSynchronize)
