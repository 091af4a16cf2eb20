"""Trains small networks on device="cuda" and compares losses and parameters with the CPU's: a multilayer perceptron, a convolutional network, a
transformer layer and recurrent networks, with autocast off and on; then what else a program relies on: random numbers, streams, out=, views,
operands on two devices, refusals, memory that does not suffice."""
import re
import sys

import torch
import torch.nn.functional as F
from torch import nn


def train(device, make, data, loss, steps=3, autocast=False, optimizer=torch.optim.AdamW):
    """The losses, the first gradients, and the parameters afterwards."""
    torch.manual_seed(1)
    model = make().to(device)
    inputs, target = (t.to(device) for t in data)
    adapt = optimizer(model.parameters(), lr=1e-2)
    losses, gradients = [], None
    for _ in range(steps):
        adapt.zero_grad()
        with torch.autocast(device, dtype=torch.bfloat16, enabled=autocast):
            result = model(inputs)
            error = loss(result.float(), target)
        error.backward()
        gradients = gradients or [p.grad.cpu().clone() for p in model.parameters()]
        adapt.step()
        losses.append(error.item())
    return torch.tensor(losses), gradients, [p.detach().cpu() for p in model.parameters()]


def compare(name, make, data, loss, autocast=False, **options):
    tolerance = {"rtol": 2e-2, "atol": 2e-2} if autocast else {"rtol": 1e-4, "atol": 1e-5}
    got, *others = train("cuda", make, data, loss, autocast=autocast, **options)
    want, *expected = train("cpu", make, data, loss, autocast=autocast, **options)
    torch.testing.assert_close(got, want, **tolerance)
    # The first steps of AdamW are as long for a small gradient as for a large one: with autocast, parameters differ by that much.
    torch.testing.assert_close(others[:1] if autocast else others, expected[:1] if autocast else expected, **tolerance)
    assert got[-1] < got[0], "the loss falls"
    print(f"right: {name}{' with autocast' if autocast else ''}")


class Recurrent(nn.Module):
    def __init__(self, kind, **options):
        super().__init__()
        self.cells = kind(6, 8, **options)
        self.last = nn.Linear(8 * (2 if options.get("bidirectional") else 1), 1)

    def forward(self, inputs):
        return self.last(self.cells(inputs)[0])


def models():
    torch.manual_seed(0)
    flat = torch.randn(32, 8), torch.randn(32, 1)
    images = torch.randn(4, 3, 12, 12), torch.randint(5, (4,))
    words = torch.randn(4, 7, 16), torch.randn(4, 7, 16)
    series = torch.randn(5, 3, 6), torch.randn(5, 3, 1)
    perceptron = lambda: nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.LayerNorm(16), nn.Linear(16, 1))
    network = lambda: nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2),
                                    nn.Conv2d(8, 8, 3, groups=8, padding=1), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(32, 5))
    layer = lambda: nn.TransformerEncoderLayer(16, 4, 32, dropout=0.0, batch_first=True)
    for autocast in (False, True):
        compare("multilayer perceptron", perceptron, flat, F.mse_loss, autocast)
        compare("convolutional network", network, images, F.cross_entropy, autocast)
        compare("transformer layer", layer, words, F.mse_loss, autocast)
    compare("LSTM", lambda: Recurrent(nn.LSTM, num_layers=2, bidirectional=True), series, F.mse_loss)
    compare("LSTM", lambda: Recurrent(nn.LSTM), series, F.mse_loss, True)
    compare("GRU", lambda: Recurrent(nn.GRU), series, F.mse_loss)
    for optimizer in (torch.optim.SGD, lambda p, lr: torch.optim.Adam(p, lr, fused=True), lambda p, lr: torch.optim.AdamW(p, lr, foreach=True)):
        compare("optimizer", perceptron, flat, F.mse_loss, optimizer=optimizer)
    inference = layer().cuda().eval()
    with torch.no_grad():
        torch.testing.assert_close(inference(words[0].cuda()).cpu(), inference.cpu()(words[0]), rtol=1e-4, atol=1e-5)
    print("right: the fast path of the transformer layer")


def attention():
    from torch.nn.attention import SDPBackend, sdpa_kernel

    torch.manual_seed(0)
    tensors = [torch.randn(2, 4, 16, 32, dtype=torch.half) for _ in range(3)]
    want = None
    for backend in (SDPBackend.MATH, SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION):
        on = [t.cuda().requires_grad_() for t in tensors]
        with sdpa_kernel(backend):
            result = F.scaled_dot_product_attention(*on, is_causal=True)
        result.float().square().sum().backward()
        got = [result.detach().cpu(), *(t.grad.cpu() for t in on)]
        want = want or got
        torch.testing.assert_close(got, want, rtol=1e-2, atol=1e-2)
        print("right: attention,", backend.name)


def random_numbers():
    def draw(generator=None):
        return [torch.randn(5, 3, device="cuda", generator=generator), torch.rand(7, device="cuda", generator=generator),
                torch.randperm(9, device="cuda", generator=generator), F.dropout(torch.ones(50, device="cuda"))]

    torch.cuda.manual_seed(7)
    first = draw()
    state = torch.cuda.get_rng_state()
    second = draw()
    torch.cuda.manual_seed(7)
    torch.testing.assert_close(draw(), first)
    torch.cuda.set_rng_state(state)
    torch.testing.assert_close(draw(), second)
    assert not torch.equal(first[0], second[0])
    own = draw(torch.Generator("cuda").manual_seed(3))[:3]
    torch.testing.assert_close(draw(torch.Generator("cuda").manual_seed(3))[:3], own)
    torch.manual_seed(5)
    equal = torch.randn(40, device="cuda").cpu()
    before = torch.get_rng_state()
    assert torch.equal(equal, torch.manual_seed(5) and torch.randn(40))
    torch.set_rng_state(before)
    F.dropout(torch.ones(50, device="cuda"))
    assert torch.equal(torch.get_rng_state(), before), "the CPU's generator stays as it was"
    print("right: random numbers")


def raises(kind, text, call):
    try:
        call()
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError(f"no {kind.__name__}")


@torch.jit.script
def reorder(x: torch.Tensor, at: torch.Tensor):  # TorchScript's lists have types of their own
    y = x[at]
    y[at, at] = 0
    return torch.cat([y, x[:, at]], 1)


def details():
    x = torch.arange(12.0, device="cuda").reshape(3, 4)
    out = torch.empty(0, device="cuda")
    assert torch.add(x, 1, out=out) is out and out.shape == (3, 4)
    column = torch.zeros(3, 4, device="cuda")
    torch.sum(x, 1, out=column[:, 2])
    assert column.cpu().tolist() == [[0, 0, 6, 0], [0, 0, 22, 0], [0, 0, 38, 0]]
    base = torch.arange(10.0, device="cuda")
    part = base[4:4]
    torch.add(torch.ones(8, device="cuda"), 1, out=part)  # the storage grows, and keeps what else is in it
    assert base.tolist() == [0, 1, 2, 3, 2, 2, 2, 2, 2, 2] and part.tolist() == [2] * 8 and part.storage_offset() == 4
    x.t()[1].mul_(10)
    assert x[:, 1].tolist() == [10, 50, 90]
    z = torch.tensor([1 + 2j, 3 - 4j], device="cuda")
    assert z.conj().imag.tolist() == [-2, 4] and (z.conj() * 1j).tolist() == [2 + 1j, -4 + 3j]
    assert x[[0, 2], torch.tensor([1, 3])].tolist() == [10, 11]
    at = torch.tensor([2, 0, 1], device="cuda")
    assert reorder(x, at).cpu().equal(reorder(x.cpu(), at.cpu()))
    raises(RuntimeError, "same device", lambda: x + torch.ones(4))
    raises(RuntimeError, "same device", lambda: torch.ones(4, 4) @ x.t())
    first = torch.tensor([0], device="cuda")
    raises(RuntimeError, "same device as the indexed tensor", lambda: torch.ones(4)[first])
    raises(RuntimeError, "same device", lambda: x.index_put_((first,), torch.ones(1, 4)))
    raises(RuntimeError, "same device", lambda: torch._foreach_add([x], [torch.ones(3, 4)]))
    assert (x + torch.tensor(1.0)).sum().item() == x.sum().item() + 12
    side = torch.cuda.Stream()
    with torch.cuda.stream(side):
        y = x.to(torch.half) * 2
    torch.cuda.current_stream().wait_stream(side)
    assert (y.float() / 2).equal(x)
    sparse = torch.eye(4, device="cuda").to_sparse()
    assert torch.sparse.mm(sparse, x.t()).equal(x.t()) and (sparse + sparse).to_dense().trace().item() == 8
    raises(NotImplementedError, "aten::_to_sparse_semi_structured has a kernel for GPUs only", lambda: torch._to_sparse_semi_structured(x))
    print("right: out=, views, complex numbers, indices, streams, sparse tensors, refusals")


def memory():
    x, many = torch.ones(1, device="cuda"), 1 << 44
    for call in (lambda: torch.empty(many, device="cuda"), lambda: torch.zeros(many, device="cuda"), lambda: torch.ones(1, device="cuda").resize_(many),
                 lambda: x.expand(many) + 1, lambda: torch.ones(1).expand(many).to("cuda")):
        raises(torch.cuda.OutOfMemoryError, "CUDA out of memory", call)
        assert (x + 1).item() == 2
    print("memory that does not suffice raises OutOfMemoryError")


def libraries():
    """Of NVIDIA's closed libraries, only compilers are in the process, also where `pip install torch` has installed the others."""
    with open("/proc/self/maps", encoding="utf-8") as maps:
        paths = {line.split()[-1] for line in maps if "/" in line}
    closed = [path for path in paths if re.search(r"/lib(cu|nccl|nvshmem|nvidia)[^/]*\.so", path) and "/cusafe/" not in path and "libcusafe" not in path]
    assert not closed, closed
    print("of NVIDIA's libraries, only compilers")


if __name__ == "__main__":
    for part in (models, attention, random_numbers, details, memory, libraries):
        if len(sys.argv) == 1 or part.__name__ in sys.argv[1:]:
            part()
