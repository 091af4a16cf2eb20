"""torchvision's kernels on PyTorch's CUDA tensors: results equal those of its CPU operators. Its wheel has no line information, so a bug is
marked by its kernel."""
import torch
from torchvision import ops


def compare(name, function, *arguments):
    expected = function(*arguments)
    got = function(*(argument.cuda() for argument in arguments))
    assert got.is_cuda, name
    torch.testing.assert_close(got.cpu(), expected, msg=lambda text: f"{name}: {text}")
    print("right:", name)


def gradient(features, boxes):
    """Of roi_align, with weights, so that the elements differ."""
    features = features.clone().requires_grad_()
    result = ops.roi_align(features, boxes, (3, 3))
    (result * torch.arange(result.numel(), device=result.device).reshape(result.shape)).sum().backward()
    return features.grad


def main():
    torch.manual_seed(0)
    boxes = torch.rand(40, 4) * 50
    boxes[:, 2:] += boxes[:, :2] + 1
    scores, features = torch.rand(40), torch.rand(2, 4, 32, 32)
    batched = torch.cat([torch.tensor([[0.0], [1], [0], [1], [1]]), boxes[:5] / 4], 1)
    compare("nms", lambda b, s: ops.nms(b, s, 0.4), boxes, scores)
    compare("roi_align", lambda f, b: ops.roi_align(f, b, (7, 7)), features, batched)
    compare("gradient of roi_align", gradient, features, batched)
    compare("roi_pool", lambda f, b: ops.roi_pool(f, b, (7, 7)), features, batched)
    compare("ps_roi_align", lambda f, b: ops.ps_roi_align(f, b, (2, 2)), features, batched)
    compare("deform_conv2d", ops.deform_conv2d, features, torch.rand(2, 18, 30, 30), torch.rand(3, 4, 3, 3))
    wrong = torch.tensor([[5.0, 1, 1, 20, 20]])  # of two batches
    ops.roi_align(features.cuda(), wrong.cuda(), (7, 7))  # BUG in kernel roi_align_forward_kernel_impl: out-of-bounds
    torch.cuda.synchronize()


main()
