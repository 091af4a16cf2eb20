"""CUDA graphs and streams: a captured kernel is right in every replay, also if its tensors are allocated and dropped in the capture; an operator
is refused there, and the program continues. A captured kernel with a bug is reported at the line marked BUG, with the tensor's type and shape."""
import gc

import torch
import triton
import triton.language as tl


@triton.jit
def double_kernel(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i < n)


@triton.jit
def double_past_end(x, out, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + i, 2 * tl.load(x + i, mask=i < n), mask=i <= n)  # BUG: out-of-bounds


def double(x, kernel=double_kernel):
    out = torch.empty_like(x)
    kernel[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), BLOCK=128)
    return out


def captured():
    x = torch.ones(300, device="cuda")
    double(x)  # compiled before the capture
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        out = double(double(x))  # the tensor between them is dropped in the capture
    torch.empty(300, device="cuda").fill_(7)
    for value in (1.0, 5.0):
        x.fill_(value)
        graph.replay()
        assert out.cpu().eq(4 * value).all(), out
    last = out.clone()
    del graph, out
    gc.collect()
    assert last.cpu().eq(20).all()
    print("right: a graph")


def refused():
    graph = torch.cuda.CUDAGraph()
    for call in (lambda: torch.zeros(4, device="cuda"), lambda: torch.ones(4, device="cuda") + 1):
        try:
            with torch.cuda.graph(graph):
                call()
        except NotImplementedError as error:
            assert "cannot be captured in a CUDA graph on the CPU device" in str(error), error
        else:
            raise AssertionError("not refused")
        graph = torch.cuda.CUDAGraph()
    assert torch.ones(4, device="cuda").sum().item() == 4
    print("right: operators in a graph are refused")


def streams():
    x = torch.arange(300.0, device="cuda")
    first, second = torch.cuda.Stream(), torch.cuda.Stream()
    first.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(first):
        y = double(x)
    second.wait_stream(first)
    with torch.cuda.stream(second):
        z = double(y) + 1
    event = second.record_event()
    event.wait()
    assert z.cpu().equal(4 * x.cpu() + 1)
    print("right: kernels and operators in two streams")


def wrong():
    x = torch.ones(300, device="cuda")
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        double(x, double_past_end)
    graph.replay()
    torch.cuda.synchronize()


captured()
refused()
streams()
wrong()
