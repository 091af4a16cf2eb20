"""Kernels of Triton: vector addition, softmax, layer normalisation, matrix product and attention with right results, then each with a bug on the
line marked BUG."""

import numpy as np
import triton
import triton.language as tl
from cuda.bindings import driver
from cuda.core import Device


def check(name, got, expected, rtol=1e-4, atol=1e-5):
    assert np.allclose(got, expected, rtol=rtol, atol=atol), f"{name}: {got} is not {expected}"
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
def matmul(a, b, c, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr, STEP: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    column = tl.program_id(1) * COLUMNS + tl.arange(0, COLUMNS)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for start in range(0, K, STEP):
        k = start + tl.arange(0, STEP)
        x = tl.load(a + row[:, None] * K + k[None, :], mask=(row[:, None] < M) & (k[None, :] < K), other=0.0)
        y = tl.load(b + k[:, None] * N + column[None, :], mask=(k[:, None] < K) & (column[None, :] < N), other=0.0)
        total = tl.dot(x, y, total)
    tl.store(c + row[:, None] * N + column[None, :], total, mask=(row[:, None] < M) & (column[None, :] < N))


@triton.jit
def attention(q, k, v, out, length, scale, ROWS: tl.constexpr, STEP: tl.constexpr, HEAD: tl.constexpr):
    row = tl.program_id(0) * ROWS + tl.arange(0, ROWS)
    d = tl.arange(0, HEAD)
    queries = tl.load(q + row[:, None] * HEAD + d[None, :], mask=row[:, None] < length, other=0.0)
    largest = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((ROWS,), dtype=tl.float32)
    total = tl.zeros((ROWS, HEAD), dtype=tl.float32)
    for start in range(0, length, STEP):
        key = start + tl.arange(0, STEP)
        keys = tl.load(k + key[None, :] * HEAD + d[:, None], mask=key[None, :] < length, other=0.0)
        scores = tl.where(key[None, :] < length, tl.dot(queries, keys) * scale, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        share = tl.exp(scores - larger[:, None])
        rescale = tl.exp(largest - larger)
        values = tl.load(v + key[:, None] * HEAD + d[None, :], mask=key[:, None] < length, other=0.0)
        total = total * rescale[:, None] + tl.dot(share.to(tl.float16), values)
        weight = weight * rescale + tl.sum(share, axis=1)
        largest = larger
    tl.store(out + row[:, None] * HEAD + d[None, :], total / weight[:, None], mask=row[:, None] < length)


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


@triton.jit
def matmul_past_rows(a, b, c, M, N, K, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    row = tl.arange(0, ROWS)
    column = tl.arange(0, COLUMNS)
    k = tl.arange(0, 32)
    x = tl.load(a + row[:, None] * K + k[None, :])  # BUG: out-of-bounds
    y = tl.load(b + k[:, None] * N + column[None, :])
    tl.store(c + row[:, None] * N + column[None, :], tl.dot(x, y), mask=row[:, None] < M)


@triton.jit
def attention_past_keys(q, k, out, length, ROWS: tl.constexpr, HEAD: tl.constexpr):
    row = tl.arange(0, ROWS)
    d = tl.arange(0, HEAD)
    queries = tl.load(q + row[:, None] * HEAD + d[None, :], mask=row[:, None] < length, other=0.0)
    keys = tl.load(k + row[None, :] * HEAD + d[:, None], mask=row[None, :] <= length, other=0.0)  # BUG: out-of-bounds
    tl.store(out + row[:, None] * ROWS + row[None, :], tl.dot(queries, keys))


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

M, N, K = 50, 40, 70
a = random.standard_normal((M, K)).astype(np.float16)
b = random.standard_normal((K, N)).astype(np.float16)
product = Tensor(np.zeros((M, N), np.float32))
matmul[(triton.cdiv(M, 32), triton.cdiv(N, 32))](Tensor(a), Tensor(b), product, M, N, K, ROWS=32, COLUMNS=32, STEP=32)
check("matmul", product.get(), a.astype(np.float32) @ b.astype(np.float32), atol=1e-3)

length, head = 50, 32
q, k, v = (random.standard_normal((length, head)).astype(np.float16) for _ in range(3))
mixed = Tensor(np.zeros((length, head), np.float32))
attention[(triton.cdiv(length, 32),)](Tensor(q), Tensor(k), Tensor(v), mixed, length, head**-0.5, ROWS=32, STEP=32, HEAD=head)
scores = q.astype(np.float32) @ k.astype(np.float32).T * head**-0.5
shares = np.exp(scores - scores.max(axis=1, keepdims=True))
check("attention", mixed.get(), shares / shares.sum(axis=1, keepdims=True) @ v.astype(np.float32), rtol=1e-2, atol=2e-3)

add_without_mask[(triton.cdiv(n, 256),)](Tensor(x), Tensor(y), Tensor(np.zeros_like(x)), n, BLOCK=256)
softmax_past_columns[(rows,)](Tensor(np.zeros_like(table)), Tensor(table), columns, columns, BLOCK=128)
short_weight[(1,)](Tensor(np.zeros(columns, np.float32)), Tensor(x), Tensor(weight[:-1]), columns, BLOCK=128)
matmul_past_rows[(1,)](Tensor(a[:20, :32]), Tensor(b[:32, :32]), Tensor(np.zeros((20, 32), np.float32)), 20, 32, 32, ROWS=32, COLUMNS=32)
attention_past_keys[(1,)](Tensor(q[:20]), Tensor(k[:20]), Tensor(np.zeros((32, 32), np.float32)), 20, ROWS=32, HEAD=head)
call(driver.cuCtxSynchronize)
