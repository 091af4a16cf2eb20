"""Builds kernels.cu and bindings.cpp with torch.utils.cpp_extension, and calls each kernel: in bounds, with results that are compared with
PyTorch's, or one past an end."""
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils.cpp_extension import load

HERE = Path(__file__).resolve().parent


def build():
    return load("cusafe_kernels", [str(HERE / "kernels.cu"), str(HERE / "bindings.cpp")], extra_cuda_cflags=["-lineinfo"])


def equal(name, got, want):
    torch.testing.assert_close(got.cpu(), want.cpu(), rtol=1e-4, atol=1e-5)
    print("right:", name)


class Square(torch.autograd.Function):
    """x * x, by kernels in both directions."""

    kernels, over = None, 0

    @staticmethod
    def forward(context, x):
        context.save_for_backward(x)
        return Square.kernels.square(x)

    @staticmethod
    def backward(context, gradient):
        return Square.kernels.square_backward(gradient.contiguous(), *context.saved_tensors, Square.over)


def run(k, over):
    """Every kernel once. With over = 0 the results are right, too."""
    compare = equal if over == 0 else lambda name, got, want: None
    torch.manual_seed(0)
    x = torch.randn(5, 24, device="cuda")
    compare("softmax", k.softmax(x, over), F.softmax(x, -1))
    weight = torch.randn(24, device="cuda")
    compare("layer norm", k.layer_norm(x, weight, over), F.layer_norm(x, (24,), weight))
    angles = torch.randn(5, 12, device="cuda")
    a, b = x.chunk(2, 1)
    compare("rope", k.rope(x, angles, over), torch.cat((a * angles.cos() - b * angles.sin(), a * angles.sin() + b * angles.cos()), 1))
    compare("top-k", k.topk(x, 3, over), x.topk(3).indices)
    index = torch.randint(7, (24,), device="cuda")
    index[3] = 6 + over
    compare("scatter", k.scatter(x[0].contiguous(), index, 7), torch.zeros(7, device="cuda").scatter_add_(0, index.clamp(max=6), x[0]))
    parameter, gradient = torch.randn(30, device="cuda"), torch.randn(30, device="cuda")
    want = parameter - 0.01 * gradient / (gradient.abs() + 1e-8)
    k.adam(parameter, gradient, torch.zeros(30, device="cuda"), torch.zeros(30, device="cuda"), 0.01, over)
    compare("optimizer", parameter, want)
    packed, scales = torch.randint(-127, 127, (6, 24), dtype=torch.int8, device="cuda"), torch.rand(6, 3, device="cuda")
    compare("quantised linear", k.quantised(x, packed, scales, over), x @ (packed * scales.repeat_interleave(8, 1)).t())
    query, keys, values = torch.randn(16, device="cuda"), torch.randn(4, 8, 16, device="cuda"), torch.randn(4, 8, 16, device="cuda")
    table = torch.tensor([2, 0, 3 + over], dtype=torch.int32, device="cuda")
    rows = table.clamp(max=3).long()
    want = F.scaled_dot_product_attention(query[None, None], keys[rows].reshape(1, 24, 16), values[rows].reshape(1, 24, 16)).flatten()
    compare("paged attention", k.paged(query, keys, values, table, 24), want)
    probability = F.softmax(x, -1)
    number = torch.rand(5, device="cuda") * 0.99 + 2 * over
    compare("sampling", k.sample(probability, number), (probability.cumsum(1) < number[:, None]).sum(1))
    Square.kernels, Square.over = k, over
    y = torch.randn(64, device="cuda", requires_grad=True)
    Square.apply(y).sum().backward()
    compare("gradient", y.grad, 2 * y.detach())
    torch.cuda.synchronize()
    time.sleep(1)  # PyTorch's autograd thread must not release Python objects after the interpreter has ended: that aborts the process
