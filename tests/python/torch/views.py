"""Views of tensors: an access past a view is inside the tensor's memory, and valid, unless the program asks for the view's own bounds with
examples/pools/exact_views.py."""
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "examples" / "pools"))
from exact_views import exact_view

HERE = Path(__file__).resolve().parent
# PyTorch names the source after the kernel, so that each of these is in a file of its own.
kernels = {name: torch.cuda._compile_kernel((HERE / f"{name}.cu").read_text(), name) for name in ("views", "views_past")}


def launch(name, tensor, count, stride=1):
    """Adds 1 to count elements of the tensor."""
    kernels[name]((1, 1, 1), (128, 1, 1), (tensor, count, stride))


def check(name, got, expected):
    torch.cuda.synchronize()
    torch.testing.assert_close(got.cpu(), expected)
    print("right:", name)


x = torch.zeros(10, 16, device="cuda")
launch("views", x[2:5], 4 * 16)  # one row more than the view: other rows of the tensor are reached by its strides
check("a view has the bounds of its tensor", x[2:7].sum(1), torch.tensor([16.0, 16, 16, 16, 0]))

x.zero_()
rows = exact_view(x[2:5])
launch("views", rows, 3 * 16)
check("in bounds", rows, torch.ones(3, 16))
column = exact_view(x[:, 8])
assert column.stride() == (16,) and column.shape == (10,)
launch("views", column, 10, 16)
check("a column, with its stride", x.sum(1), torch.tensor([1.0, 1, 17, 17, 17, 1, 1, 1, 1, 1]))
check("operators on it", exact_view(x.bfloat16()[3:4]) * 2, torch.tensor([[2.0] * 8 + [4] + [2] * 7], dtype=torch.bfloat16))
check("another address", x.storage_offset() + rows.untyped_storage().nbytes() + torch.zeros(1), torch.tensor([192.0]))

launch("views_past", rows, 3 * 16 + 1)
launch("views_past", rows, 2, -4)
check("contained", x[1], torch.tensor([0.0] * 8 + [1] + [0] * 7))
empty = exact_view(x[:0])
assert empty.shape == (0, 16) and exact_view(torch.ones(3)).sum() == 3
