"""Computes PyTorch's own samples (OpInfo) of its operators on CUDA tensors, contiguous and strided, and compares the results with the CPU's.

  operators.py                  the sample, with a line for each operator that differs
  operators.py --table          ATen's operators with CUDA kernels: how many are computed, composed, refused
  operators.py --only=REGEX     these operators alone, with the errors in full"""
import argparse
import re
import sys
import traceback
import warnings

import torch
from torch.utils._pytree import tree_flatten, tree_map

DTYPES = (torch.float32, torch.int64, torch.bool)
# Not compared: results that are not initialised; kernels that the program compiles (they run on the device); operators for the CPU only, or
# with an operand that must be on the CPU; views that reach beyond the tensor that is copied to the device, or into gaps.
SKIPPED = re.compile(r"empty|resize|jiterator|_for_cpu$|^sparse\.mm\.reduce|^tensor_split$|^as_strided\.partial_views")
INTO_GAPS = re.compile(r"^as_strided")


def on_cuda(value):
    """The same arguments on the device, with the same strides."""
    def move(item):
        if isinstance(item, torch.Tensor):
            copy = item.detach().cuda()
            if item.layout == torch.strided and copy.stride() != item.stride():
                copy = torch.empty_strided(item.shape, item.stride(), dtype=item.dtype, device="cuda").copy_(item.detach())
            return copy.requires_grad_(item.requires_grad)
        if isinstance(item, torch.device) or (isinstance(item, str) and item == "cpu"):
            return torch.device("cuda")
        return item

    return tree_map(move, value)


def strided(value):
    """Every tensor of at least two elements with gaps between them, or transposed."""
    from torch.testing._internal.common_utils import noncontiguous_like

    def change(item):
        plain = isinstance(item, torch.Tensor) and item.layout == torch.strided and item.numel() > 1
        return noncontiguous_like(item) if plain else item

    return tree_map(change, value)


def outcome(call):
    """The tensors and numbers of the result, or the exception."""
    torch.manual_seed(0)
    try:
        result = call()
    except Exception as error:  # compared with the other device's
        return None, error
    leaves = tree_flatten(result)[0]
    return [leaf.detach() if isinstance(leaf, torch.Tensor) else leaf for leaf in leaves], None


def differs(op, sample, make):
    """None, "" if the CPU has no result either, or what differs."""
    arguments = make((sample.input, sample.args, sample.kwargs))
    moved = on_cuda(arguments)
    want, failed = outcome(lambda: op(arguments[0], *arguments[1], **arguments[2]))
    got, error = outcome(lambda: op(moved[0], *moved[1], **moved[2]))
    if failed:
        return ""
    if error:
        return "".join(traceback.format_exception(error))
    try:
        for ours, cpus in zip(got, want, strict=True):
            if isinstance(cpus, torch.Tensor):
                assert ours.is_cuda or cpus.dim() == 0 or not any(leaf.is_cuda for leaf in got if isinstance(leaf, torch.Tensor)), "on the CPU"
                ours = ours.cpu()
                ours, cpus = (t.to_dense() if t.layout != torch.strided else t for t in (ours, cpus))
            torch.testing.assert_close(ours, cpus, equal_nan=True, rtol=1e-5, atol=1e-5)
    except AssertionError as error:
        return f"AssertionError: {error}"
    return None


def samples(op, dtype, count):
    for number, sample in enumerate(op.sample_inputs("cpu", dtype, requires_grad=False)):
        if number == count:
            return
        yield sample


def examine(op, given):
    """(results compared, what differs) of one operator."""
    compared, wrong = 0, []
    for dtype in DTYPES:
        if not op.supports_dtype(dtype, "cpu") or not op.supports_dtype(dtype, "cuda"):
            continue
        for sample in samples(op, dtype, given.samples):
            for make in (lambda value: value, *([] if INTO_GAPS.match(op.name) else [strided])):
                try:
                    difference = differs(op, sample, make)
                except Exception as error:  # the sample itself
                    difference = "".join(traceback.format_exception(error))
                compared += difference is None
                if difference:
                    wrong.append((dtype, make is strided, difference))
    return compared, wrong


def run(given):
    warnings.simplefilter("ignore")
    from torch.testing._internal.common_methods_invocations import op_db

    operators, equal, total, wrong_names = 0, 0, 0, []
    for op in op_db:
        name = op.name + (f".{op.variant_test_name}" if op.variant_test_name else "")
        if SKIPPED.search(name) or (given.only and not re.search(given.only, name)):
            continue
        compared, wrong = examine(op, given)
        if not compared and not wrong:
            continue
        operators += 1
        total += compared
        equal += not wrong
        if wrong:
            wrong_names.append(name)
            dtype, gaps, text = wrong[0]
            lines = text.strip().splitlines()
            text = text if given.only else lines[-1] if "Traceback" in text else " ".join(lines)[:200]
            print(f"differs: {name} {dtype}{' strided' if gaps else ''} ({len(wrong)}): {text}", flush=True)
    print(f"{equal} of {operators} operators equal the CPU's, {total} results")
    return wrong_names


def left_alone():
    """What operators.cpp leaves as it is: allocation, views, and what concerns the device itself."""
    import cusafe_torch

    with open(cusafe_torch._SOURCE, encoding="utf-8") as source:
        listed = re.search(r"&kept\(\) \{.*?= \{(.*?)\};", source.read(), re.S)[1]
    return set(re.findall(r'"(\w+)"', listed))


def table():
    torch.cuda.init()
    import cusafe_torch.composite as composite

    names = sorted(name[6:] for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::"))
    has = lambda name, key: torch._C._dispatch_has_kernel_for_dispatch_key("aten::" + name, key)
    cuda = [name for name in names if has(name, "CUDA")]
    left = left_alone()
    on_cpu = lambda name: torch._C._dispatch_has_computed_kernel_for_dispatch_key("aten::" + name, "CPU")
    composed = [name for name in cuda if name in composite.names]
    kept = [name for name in cuda if name.split(".")[0] in left]
    refused = [name for name in cuda if name not in composed + kept and not on_cpu(name)]
    computed = len(cuda) - len(composed) - len(kept) - len(refused)
    print(f"{len(cuda)} with CUDA kernels: {computed} computed, {len(composed)} composed, {len(kept)} without a kernel, {len(refused)} refused")
    print("refused:", *refused)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--samples", type=int, default=2, help="of each operator and type")
    parser.add_argument("--only", help="a regular expression")
    parser.add_argument("--table", action="store_true")
    given = parser.parse_args()
    if given.table:
        return table()
    wrong = run(given)
    return 1 if wrong else print("right: every operator")


if __name__ == "__main__":
    sys.exit(main())
