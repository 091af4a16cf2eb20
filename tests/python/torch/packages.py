"""Kernels that reach PyTorch in other ways than extensions.py's: a package built by setuptools (`pip install --no-build-isolation .`) whose
operators are torch.library's, and load_inline with an operator of Python. Both are right in bounds, and reported one past an end."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils.cpp_extension import load_inline

HERE = Path(__file__).resolve().parent


def install(folder):
    """The package, from a copy of its source."""
    shutil.copytree(HERE / "package", folder / "source")
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-build-isolation", "--no-deps", "--target",
                    folder / "installed", folder / "source"], check=True)
    sys.path.insert(0, str(folder / "installed"))
    import cusafe_rows  # pylint: disable=unused-import,import-outside-toplevel


INLINE = """
__global__ void shift_kernel(const float *in, float *out, int n, int over) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + over)
    out[i] = in[i] + 1; // BUG: out-of-bounds
}
torch::Tensor shift(torch::Tensor x, int over) {
  auto out = torch::empty_like(x);
  int n = x.numel();
  shift_kernel<<<n / 128 + 1, 128>>>(x.data_ptr<float>(), out.data_ptr<float>(), n, over);
  return out;
}
"""


def equal(name, got, want):
    torch.testing.assert_close(got.cpu(), want.cpu())
    print("right:", name)


def rows(over):
    """The package's operators."""
    x, by = torch.randn(5, 100, device="cuda", requires_grad=True), torch.rand(5, device="cuda")
    out = torch.ops.cusafe_rows.scale(x, by, over)
    index = torch.tensor([4, 0, 2 + 3 * over], device="cuda")
    taken = torch.ops.cusafe_rows.gather(x.detach(), index)
    if over:
        return
    equal("an operator of a package", out.detach(), x.detach().cpu() * by.cpu()[:, None])
    equal("another one", taken, x.detach().cpu()[index.cpu()])
    out.sum().backward()
    equal("the gradient of an operator", x.grad, by.cpu()[:, None].expand(5, 100))
    tests = ("test_schema", "test_faketensor", "test_autograd_registration")
    torch.library.opcheck(torch.ops.cusafe_rows.scale, (x.detach().requires_grad_(), by, 0), test_utils=tests)
    compiled = torch.compile(lambda x, by: torch.ops.cusafe_rows.scale(x, by, 0), backend="aot_eager")
    equal("an operator in a compiled function", compiled(x.detach(), by), out.detach())


def inline(shift, over):
    """An operator defined in Python."""
    x = torch.randn(1000, device="cuda", requires_grad=True)
    out = shift(x, over)
    if over:
        return
    equal("an operator of Python", out.detach(), x.detach().cpu() + 1)
    (out * out).sum().backward()
    equal("its gradient", x.grad, 2 * out.detach())


def make_operator():
    module = load_inline("cusafe_inline", cpp_sources="torch::Tensor shift(torch::Tensor x, int over);", cuda_sources=INLINE, functions=["shift"])

    @torch.library.custom_op("cusafe_inline::shift", mutates_args=(), device_types="cuda")
    def shift(x: torch.Tensor, over: int) -> torch.Tensor:
        return module.shift(x, over)

    shift.register_autograd(lambda context, gradient: (gradient, None))
    return shift


with tempfile.TemporaryDirectory() as folder:
    install(Path(folder))
    operator = make_operator()
    for over in (0, 1):
        rows(over)
        inline(operator, over)
    torch.cuda.synchronize()
