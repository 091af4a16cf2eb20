"""torch.compile (Inductor, whose kernels are Triton's) of three models: losses and gradients equal those of the models as they are. A kernel of
the program itself, called in a compiled function, has a bug on the line marked BUG."""
import copy

import torch
import torch.nn.functional as F
import triton
import triton.language as tl
from torch import nn


class Block(nn.Module):
    """A transformer layer before its head."""

    def __init__(self, size, heads):
        super().__init__()
        self.heads = heads
        self.first, self.second = nn.LayerNorm(size), nn.LayerNorm(size)
        self.qkv, self.join = nn.Linear(size, 3 * size), nn.Linear(size, size)
        self.up, self.down = nn.Linear(size, 4 * size), nn.Linear(4 * size, size)

    def forward(self, x):
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in self.qkv(self.first(x)).chunk(3, -1))
        x = x + self.join(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).flatten(2))
        return x + self.down(F.gelu(self.up(self.second(x))))


MODELS = {
    "MLP": (lambda: nn.Sequential(nn.Linear(20, 33), nn.ReLU(), nn.Linear(33, 7), nn.LogSoftmax(-1)), (16, 20)),
    "convolutions": (lambda: nn.Sequential(nn.Conv2d(3, 6, 3), nn.BatchNorm2d(6), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(54, 5)),
                     (4, 3, 8, 8)),
    "transformer layer": (lambda: Block(24, 3), (2, 10, 24)),
}


def step(model, x):
    loss = model(x).square().mean()
    loss.backward()
    return [loss.detach().cpu(), *(p.grad.cpu() for p in model.parameters())]


def compare(name, make, shape):
    torch.manual_seed(0)
    model = make().cuda()
    x = torch.randn(shape, device="cuda")
    twin = copy.deepcopy(model)
    for number in range(2):
        want, got = step(model, x), step(torch.compile(twin), x)
        torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-5)
    print("right:", name)


@triton.jit
def double_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def double_past_end(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i <= n)  # BUG: out-of-bounds


def doubled(kernel, x):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


@torch.compile
def with_kernel(x):
    return doubled(double_kernel, x.sin()) + 1


@torch.compile
def with_wrong_kernel(x):
    return doubled(double_past_end, x.sin()) + 1


for name, (make, shape) in MODELS.items():
    compare(name, make, shape)
x = torch.randn(300, device="cuda")
torch.testing.assert_close(with_kernel(x).cpu(), 2 * x.cpu().sin() + 1)
print("right: a kernel in a compiled function")
with_wrong_kernel(x)
torch.cuda.synchronize()
