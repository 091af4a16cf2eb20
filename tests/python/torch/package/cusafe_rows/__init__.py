"""The operators torch.ops.cusafe_rows.scale and gather, with what torch.compile and autograd need of them."""
from pathlib import Path

import torch

torch.ops.load_library(next(Path(__file__).parent.glob("_C*.so")))


@torch.library.register_fake("cusafe_rows::scale")
def _(x, by, over):
    return torch.empty_like(x)


def _backward(context, gradient):
    by, = context.saved_tensors
    return torch.ops.cusafe_rows.scale(gradient.contiguous(), by, 0), None, None


torch.library.register_autograd("cusafe_rows::scale", _backward,
                                setup_context=lambda ctx, inputs, output: ctx.save_for_backward(inputs[1]))
