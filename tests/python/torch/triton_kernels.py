"""Triton's kernels as its tutorials have them, on PyTorch's tensors: right results, then each with a bug on the line marked BUG."""
import torch
import torch.nn.functional as F
import triton
import triton.language as tl


def check(name, got, want, rtol=1e-4, atol=1e-5):
    torch.testing.assert_close(got.cpu().float(), want.cpu().float(), rtol=rtol, atol=atol)
    print("right:", name)


@triton.jit
def add_kernel(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    tl.store(out + i, tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask), mask=mask)


@triton.jit
def add_past_end(x, y, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(axis=0) * BLOCK + tl.arange(0, BLOCK)
    mask = i < n
    total = tl.load(x + i, mask=mask) + tl.load(y + i, mask=mask)
    tl.store(out + i, total)  # BUG: out-of-bounds


def add(kernel):
    x, y = torch.rand(1000, device="cuda"), torch.rand(1000, device="cuda")
    out = torch.empty_like(x)
    kernel[lambda meta: (triton.cdiv(x.numel(), meta["BLOCK"]),)](x, y, out, x.numel(), BLOCK=256)
    return out, x.cpu() + y.cpu()


@triton.jit
def softmax_kernel(out, x, out_stride, x_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    """Persistent: each program computes several rows."""
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        i = tl.arange(0, BLOCK)
        values = tl.load(x + row * x_stride + i, mask=i < columns, other=-float("inf"))
        exponents = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + i, exponents / tl.sum(exponents, axis=0), mask=i < columns)


@triton.jit
def softmax_past_row(out, x, out_stride, x_stride, rows, columns, BLOCK: tl.constexpr, STAGES: tl.constexpr):
    for row in tl.range(tl.program_id(0), rows, tl.num_programs(0), num_stages=STAGES):
        i = tl.arange(0, BLOCK)
        values = tl.load(x + row * x_stride + i, mask=i <= columns, other=-float("inf"))  # BUG: out-of-bounds
        exponents = tl.exp(values - tl.max(values, axis=0))
        tl.store(out + row * out_stride + i, exponents / tl.sum(exponents, axis=0), mask=i < columns)


def softmax(kernel):
    x = torch.randn(37, 100, device="cuda")
    out = torch.empty_like(x)
    kernel[(8,)](out, x, out.stride(0), x.stride(0), *x.shape, BLOCK=128, STAGES=2)
    return out, F.softmax(x.cpu(), -1)


@triton.jit
def matmul_kernel(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, ROWS: tl.constexpr,
                  COLUMNS: tl.constexpr, STEP: tl.constexpr, GROUP: tl.constexpr):
    """Blocks of the result in groups of rows, for the cache; rows and columns past the end wrap around."""
    program = tl.program_id(axis=0)
    rows, columns = tl.cdiv(M, ROWS), tl.cdiv(N, COLUMNS)
    first = program // (GROUP * columns) * GROUP
    size = min(rows - first, GROUP)
    m = first + program % (GROUP * columns) % size
    n = program % (GROUP * columns) // size
    row, column, k = (m * ROWS + tl.arange(0, ROWS)) % M, (n * COLUMNS + tl.arange(0, COLUMNS)) % N, tl.arange(0, STEP)
    a_at = a + row[:, None] * stride_am + k[None, :] * stride_ak
    b_at = b + k[:, None] * stride_bk + column[None, :] * stride_bn
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, STEP)):
        x = tl.load(a_at, mask=k[None, :] < K - step * STEP, other=0.0)
        y = tl.load(b_at, mask=k[:, None] < K - step * STEP, other=0.0)
        total = tl.dot(x, y, total)
        a_at += STEP * stride_ak
        b_at += STEP * stride_bk
    row, column = m * ROWS + tl.arange(0, ROWS), n * COLUMNS + tl.arange(0, COLUMNS)
    c_at = c + row[:, None] * stride_cm + column[None, :] * stride_cn
    tl.store(c_at, total.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))


@triton.jit
def matmul_past_k(a, b, c, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn, ROWS: tl.constexpr,
                  COLUMNS: tl.constexpr, STEP: tl.constexpr, GROUP: tl.constexpr):
    columns = tl.cdiv(N, COLUMNS)
    m, n = tl.program_id(axis=0) // columns, tl.program_id(axis=0) % columns
    row, column, k = (m * ROWS + tl.arange(0, ROWS)) % M, (n * COLUMNS + tl.arange(0, COLUMNS)) % N, tl.arange(0, STEP)
    total = tl.zeros((ROWS, COLUMNS), dtype=tl.float32)
    for step in range(0, tl.cdiv(K, STEP)):
        inside = k < K - step * STEP
        x = tl.load(a + row[:, None] * stride_am + (step * STEP + k[None, :]) * stride_ak, mask=inside[None, :], other=0.0)
        y = tl.load(b + (step * STEP + k[:, None]) * stride_bk + column[None, :] * stride_bn)  # BUG: out-of-bounds
        total = tl.dot(x, tl.where(inside[:, None], y, 0.0), total)
    row, column = m * ROWS + tl.arange(0, ROWS), n * COLUMNS + tl.arange(0, COLUMNS)
    c_at = c + row[:, None] * stride_cm + column[None, :] * stride_cn
    tl.store(c_at, total.to(tl.float16), mask=(row[:, None] < M) & (column[None, :] < N))


def matmul(kernel):
    a, b = torch.randn(50, 72, device="cuda", dtype=torch.half), torch.randn(72, 40, device="cuda", dtype=torch.half)
    c = torch.empty(50, 40, device="cuda", dtype=torch.half)
    kernel[(4,)](a, b, c, 50, 40, 72, *a.stride(), *b.stride(), *c.stride(), ROWS=32, COLUMNS=32, STEP=32, GROUP=2)
    return c, a.cpu().float() @ b.cpu().float()


@triton.jit
def layer_norm_forward(x, out, weight, bias, mean, scale, stride, columns, epsilon, BLOCK: tl.constexpr):
    """Longer rows than a block: in steps."""
    row = tl.program_id(0)
    sums = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        sums += tl.load(x + row * stride + i, mask=i < columns, other=0.0)
    average = tl.sum(sums, axis=0) / columns
    squares = tl.zeros([BLOCK], dtype=tl.float32)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        centred = tl.where(i < columns, tl.load(x + row * stride + i, mask=i < columns, other=0.0) - average, 0.0)
        squares += centred * centred
    factor = 1 / tl.sqrt(tl.sum(squares, axis=0) / columns + epsilon)
    tl.store(mean + row, average)
    tl.store(scale + row, factor)
    for start in range(0, columns, BLOCK):
        i = start + tl.arange(0, BLOCK)
        mask = i < columns
        value = (tl.load(x + row * stride + i, mask=mask) - average) * factor
        tl.store(out + row * stride + i, value * tl.load(weight + i, mask=mask) + tl.load(bias + i, mask=mask), mask=mask)


@triton.jit
def layer_norm_backward(dx, dy, dw, db, x, weight, mean, scale, locks, stride, columns, GROUP: tl.constexpr, BLOCK: tl.constexpr):
    """Gradients of the weights are added up under a lock for each group of rows."""
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    mask = i < columns
    values, gradient = tl.load(x + row * stride + i, mask=mask, other=0), tl.load(dy + row * stride + i, mask=mask, other=0)
    factor = tl.load(scale + row)
    normal = tl.where(mask, (values - tl.load(mean + row)) * factor, 0.0)
    weighted = tl.where(mask, gradient * tl.load(weight + i, mask=mask), 0.0)
    along, level = tl.sum(normal * weighted, axis=0) / columns, tl.sum(weighted, axis=0) / columns
    tl.store(dx + row * stride + i, (weighted - (normal * along + level)) * factor, mask=mask)
    lock, count = locks + row % GROUP, locks + GROUP + row % GROUP
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    to = row % GROUP * columns + i
    partial_w, partial_b = gradient * normal, gradient
    if tl.load(count) == 0:
        tl.atomic_xchg(count, 1)
    else:
        partial_w += tl.load(dw + to, mask=mask)
        partial_b += tl.load(db + to, mask=mask)
    tl.store(dw + to, partial_w, mask=mask)
    tl.store(db + to, partial_b, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit
def layer_norm_past_rows(x, out, weight, bias, mean, scale, stride, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, mask=i < columns, other=0.0)
    average = tl.sum(values, axis=0) / columns
    tl.store(mean + row + 1, average)  # BUG: out-of-bounds
    tl.store(out + row * stride + i, values - average, mask=i < columns)


class LayerNorm(torch.autograd.Function):
    @staticmethod
    def forward(context, x, weight, bias):
        out, mean, scale = torch.empty_like(x), torch.empty(len(x), device="cuda"), torch.empty(len(x), device="cuda")
        layer_norm_forward[(len(x),)](x, out, weight, bias, mean, scale, x.stride(0), x.shape[1], 1e-5, BLOCK=64)
        context.save_for_backward(x, weight, mean, scale)
        return out

    @staticmethod
    def backward(context, gradient):
        x, weight, mean, scale = context.saved_tensors
        gradient = gradient.contiguous()
        dx, group = torch.empty_like(x), 4
        dw, db = (torch.zeros(group, x.shape[1], device="cuda") for _ in range(2))
        locks = torch.zeros(2 * group, dtype=torch.int32, device="cuda")
        layer_norm_backward[(len(x),)](dx, gradient, dw, db, x, weight, mean, scale, locks, x.stride(0), x.shape[1], GROUP=group, BLOCK=128)
        return dx, dw.sum(0), db.sum(0)


def layer_norm(apply):
    def leaf(*shape):
        return torch.randn(*shape, device="cuda", requires_grad=True)

    inputs = leaf(19, 100), leaf(100), leaf(100)
    upstream = torch.randn(19, 100, device="cuda")
    out = apply(*inputs)
    out.backward(upstream)
    host = [t.detach().cpu().requires_grad_() for t in inputs]
    want = F.layer_norm(host[0], (100,), *host[1:])
    want.backward(upstream.cpu())
    return torch.cat([out.detach(), *(t.grad.reshape(-1, 100) for t in inputs)]), torch.cat([want.detach(),
                                                                                            *(t.grad.reshape(-1, 100) for t in host)])


@triton.jit
def attention_kernel(q, k, v, out, stride_head, length, scale, CAUSAL: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
                     HEAD: tl.constexpr):
    """Flash attention, forward: a block of queries against all keys, in steps."""
    row, d = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, HEAD)
    head = tl.program_id(1) * stride_head
    queries = tl.load(q + head + row[:, None] * HEAD + d[None, :], mask=row[:, None] < length, other=0.0)
    largest = tl.full((ROWS,), -float("inf"), dtype=tl.float32)
    weight = tl.zeros((ROWS,), dtype=tl.float32)
    total = tl.zeros((ROWS, HEAD), dtype=tl.float32)
    for start in range(0, length, STEP):
        key = start + tl.arange(0, STEP)
        keys = tl.load(k + head + key[None, :] * HEAD + d[:, None], mask=key[None, :] < length, other=0.0)
        visible = key[None, :] < length
        if CAUSAL:
            visible = visible & (key[None, :] <= row[:, None])
        scores = tl.where(visible, tl.dot(queries, keys) * scale, -float("inf"))
        larger = tl.maximum(largest, tl.max(scores, axis=1))
        share, rescale = tl.exp(scores - larger[:, None]), tl.exp(largest - larger)
        values = tl.load(v + head + key[:, None] * HEAD + d[None, :], mask=key[:, None] < length, other=0.0)
        total = total * rescale[:, None] + tl.dot(share.to(tl.float16), values)
        weight = weight * rescale + tl.sum(share, axis=1)
        largest = larger
    tl.store(out + head + row[:, None] * HEAD + d[None, :], (total / weight[:, None]).to(tl.float16), mask=row[:, None] < length)


@triton.jit
def attention_past_length(q, k, v, out, stride_head, length, scale, CAUSAL: tl.constexpr, ROWS: tl.constexpr, STEP: tl.constexpr,
                          HEAD: tl.constexpr):
    row, d = tl.program_id(0) * ROWS + tl.arange(0, ROWS), tl.arange(0, HEAD)
    head = tl.program_id(1) * stride_head
    queries = tl.load(q + head + row[:, None] * HEAD + d[None, :], mask=row[:, None] < length, other=0.0)
    total = tl.zeros((ROWS, HEAD), dtype=tl.float32)
    for start in range(0, length, STEP):
        key = start + tl.arange(0, STEP)
        keys = tl.load(k + head + key[None, :] * HEAD + d[:, None], mask=key[None, :] < length, other=0.0)
        values = tl.load(v + head + key[:, None] * HEAD + d[None, :])  # BUG: out-of-bounds
        total += tl.dot((tl.dot(queries, keys) * scale).to(tl.float16), values)
    tl.store(out + head + row[:, None] * HEAD + d[None, :], total.to(tl.float16), mask=row[:, None] < length)


def attention(kernel):
    q, k, v = (torch.randn(2, 50, 32, device="cuda", dtype=torch.half) for _ in range(3))
    out = torch.empty_like(q)
    kernel[(2, 2)](q, k, v, out, q.stride(0), 50, 32**-0.5, CAUSAL=True, ROWS=32, STEP=32, HEAD=32)
    return out, F.scaled_dot_product_attention(q.cpu().float(), k.cpu().float(), v.cpu().float(), is_causal=True)


def wrong_layer_norm():
    x, mean = torch.randn(19, 100, device="cuda"), torch.empty(19, device="cuda")
    layer_norm_past_rows[(19,)](x, torch.empty_like(x), x, x, mean, mean, 100, 100, 1e-5, BLOCK=128)


torch.manual_seed(0)
check("add", *add(add_kernel))
check("softmax", *softmax(softmax_kernel))
check("matmul", *matmul(matmul_kernel), rtol=1e-2, atol=1e-2)
check("layer norm and its gradients", *layer_norm(LayerNorm.apply), rtol=1e-3, atol=1e-4)
check("attention", *attention(attention_kernel), rtol=1e-2, atol=1e-2)
add(add_past_end)
softmax(softmax_past_row)
matmul(matmul_past_k)
wrong_layer_norm()
attention(attention_past_length)
torch.cuda.synchronize()
