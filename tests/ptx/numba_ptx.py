"""Writes the PTX of the kernels in tests/python/numba_kernels.py, a file for each, into the folder that the argument names. It needs no device."""

import sys
from pathlib import Path

from numba import cuda

sys.dont_write_bytecode = True  # the source folder stays clean
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "python"))
import numba_kernels

F, I = "float32[:]", "int32[:]"
# Kernels that call no function of their own or of libdevice: Numba compiles such a function to another text.
SIGNATURES = {
    "add": (F, F, F),
    "reverse_blocks": (F, F),
    "rotate_dynamic": (F, F),
    "histogram": (I, I),
    "largest": (I, I),
    "powers": (F, F),
    "transpose": ("float32[:,:]", "float32[:,:]"),
    "warp_sums": (F, F),
    "look_up": (I, I),
    "past_rows": ("float32[:,:]",),
}


def main():
    for name, types in SIGNATURES.items():
        function = getattr(numba_kernels, name).py_func
        for suffix, options in (("", {"lineinfo": True}), ("-G", {"debug": True, "opt": False})):
            text, _ = cuda.compile_ptx(function, f"void({', '.join(types)})", cc=(7, 5), device=False, **options)
            (Path(sys.argv[1]) / f"{name}{suffix}.ptx").write_text(text, encoding="utf-8")


main()
